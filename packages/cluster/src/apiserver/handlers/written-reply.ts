import { type ApiReply, jsonReply } from '../http/exchange.ts';
import type { Written } from '../registry/create.ts';
import { serve } from '../registry/encode.ts';
import type { ResourceRequest } from '../request/request.ts';
import { Renderer } from './render.ts';

/** Renders the outcome of a write in the view asked for. */
export function writtenReply(request: ResourceRequest, written: Written): ApiReply {
  const { env, kind, http, query } = request;
  const status = written.created ? 201 : 200;
  const renderer = new Renderer(kind, http.headers.accept, query.get('includeObject'), env.clock.now());
  const version = env.store.get(
    kind.definition.table,
    written.object.metadata.namespace ?? '',
    written.object.metadata.name ?? '',
  );
  // A write that is still the present version shares its bytes with every later reader.
  if (version !== undefined && version.object === written.object) {
    return jsonReply(status, [renderer.version(version)]);
  }
  return jsonReply(status, [renderer.object(serve(kind, written.object))]);
}
