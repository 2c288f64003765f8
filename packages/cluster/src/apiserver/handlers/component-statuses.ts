import type { Version } from '../../store/index.ts';
import { type ApiReply, jsonReply } from '../http/exchange.ts';
import { methodNotAllowed, notFound } from '../http/status.ts';
import { healthyComponent } from '../kinds/component-statuses.ts';
import type { ResourceRequest } from '../request/request.ts';
import { listReply } from './list-reply.ts';
import { Renderer } from './render.ts';

/** GET and LIST of the parts of the control plane, by their names. */
export function handleComponentStatuses(request: ResourceRequest, names: readonly string[]): ApiReply {
  const { env, kind, info, http, query, warnings } = request;
  if (info.verb !== 'get' && info.verb !== 'list') throw methodNotAllowed();
  warnings.push('v1 ComponentStatus is deprecated in v1.19+');
  const renderer = new Renderer(kind, http.headers.accept, query.get('includeObject'), env.clock.now());
  if (info.verb === 'list') {
    return listReply(renderer, names.map(versionOf), { resourceVersion: '' }, env.clock);
  }
  if (!names.includes(info.name)) throw notFound(kind.definition, info.name);
  return jsonReply(200, [renderer.version(versionOf(info.name))]);
}

function versionOf(name: string): Version {
  const object = healthyComponent(name);
  return { key: name, namespace: '', name, object, revision: 0, encoded: new Map(), size: 0 };
}
