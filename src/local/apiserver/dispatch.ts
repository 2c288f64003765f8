/** From a request to its handler: path, user, permission, kind, verb. */
import { URLSearchParams } from 'node:url';
import { handleList } from './handlers/list.ts';
import { handlePatch } from './handlers/patch.ts';
import { Renderer } from './handlers/render.ts';
import type { ResourceRequest } from './handlers/request.ts';
import { handleWatch, type WatchRegistry } from './handlers/watch.ts';
import { handleCreate, handleDelete, handleDeleteCollection, handleUpdate } from './handlers/write.ts';
import { type ApiReply, jsonReply } from './http/exchange.ts';
import { methodNotAllowed, noSuchPath } from './http/status.ts';
import { readVersion } from './registry/read.ts';

/** Answers a request for an object or a collection without subresource, or for `status`. */
export async function dispatchResource(request: ResourceRequest, watches: WatchRegistry): Promise<ApiReply> {
  const { info, kind } = request;
  const { subresource } = info;
  if (subresource !== '' && (subresource !== 'status' || !kind.definition.hasStatus)) throw noSuchPath();
  switch (info.verb) {
    case 'get':
      return handleGet(request);
    case 'list':
      return handleList(request);
    case 'watch':
      return handleWatch(named(request), watches);
    case 'create':
      if (info.name !== '') throw methodNotAllowed();
      return handleCreate(request);
    case 'update':
      if (info.name === '') throw methodNotAllowed();
      return handleUpdate(request);
    case 'patch':
      if (info.name === '') throw methodNotAllowed();
      return handlePatch(request);
    case 'delete':
      if (subresource !== '') throw methodNotAllowed();
      return handleDelete(request);
    case 'deletecollection':
      return handleDeleteCollection(request);
    default:
      throw methodNotAllowed();
  }
}

function handleGet(request: ResourceRequest): ApiReply {
  const { env, kind, info, http, query } = request;
  const namespace = kind.definition.namespaced ? info.namespace : '';
  const version = readVersion(env, kind.definition, namespace, info.name);
  const renderer = new Renderer(kind, http.headers.accept, query.get('includeObject'), env.clock.now());
  return jsonReply(200, [renderer.version(version)]);
}

/** A watch of one object by its path is a watch of the collection that selects its name. */
function named(request: ResourceRequest): ResourceRequest {
  const { info, query } = request;
  if (info.name === '') return request;
  const copy = new URLSearchParams(query);
  copy.set('fieldSelector', `metadata.name=${info.name}`);
  return { ...request, query: copy };
}
