import type { KubeObject } from '../kinds/core.ts';
import { apiVersionOf, type Resource } from '../kinds/resources.ts';
import type {
  DeleteOptions,
  ExecOptions,
  ListOptions,
  LogOptions,
  NewObject,
  PatchOptions,
  PatchType,
  WatchOptions,
  WriteOptions,
} from './types.ts';
import { PATCH_TYPES } from './types.ts';

/** A request as data: building it does no I/O, so it can be compared in tests and shown in messages. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query, without the server's own prefix. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string;
  readonly contentType?: string;
}

type QueryValue = string | number | boolean | undefined;

/** Manager named in managedFields when the caller names none; server-side apply refuses requests without one. */
const DEFAULT_FIELD_MANAGER = 'turnsole';

/** `?a=b&c=d` of the values that are present, or the empty text. */
function buildQuery(values: Readonly<Record<string, QueryValue>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined || value === '') continue;
    parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

/** Path of a collection; without a namespace, of all namespaces. */
function collectionPath(resource: Resource, namespace?: string): string {
  const root =
    resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  if (!resource.namespaced || namespace === undefined || namespace === '') {
    return `${root}/${resource.plural}`;
  }
  return `${root}/namespaces/${segment(namespace, 'namespace', resource)}/${resource.plural}`;
}

/**
 * Path of one object.
 *
 * Refuses an empty name: the path would be that of the collection, and a delete of it would empty the namespace.
 * @throws TypeError for an empty name, or a namespaced resource without a namespace
 */
function objectPath(resource: Resource, name: string, namespace?: string, subresource?: string): string {
  if (resource.namespaced) requireNamespace(resource, namespace, name);
  const path = `${collectionPath(resource, namespace)}/${segment(name, 'name', resource)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

function segment(text: string, what: string, resource: Resource): string {
  if (typeof text !== 'string' || text === '' || text === '.' || text === '..') {
    throw new TypeError(
      `cannot address ${resource.kind}: its ${what} is ${JSON.stringify(text)}; give a ${what} of at least one letter`,
    );
  }
  return encodeURIComponent(text);
}

function requireNamespace(resource: Resource, namespace: string | undefined, name: string): void {
  if (namespace === undefined || namespace === '') {
    throw new TypeError(
      `cannot address ${resource.kind} ${name}: the kind is namespaced and no namespace was given; set options.namespace`,
    );
  }
}

export function buildGet(resource: Resource, name: string, namespace?: string): ApiRequest {
  return { method: 'GET', path: objectPath(resource, name, namespace) };
}

/** One page of a list; `token` is the `continue` of the page before. */
export function buildList(resource: Resource, options: ListOptions, token?: string): ApiRequest {
  const query = buildQuery({
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    limit: options.limit,
    // A continue token carries its own version; the server refuses both together.
    resourceVersion: token === undefined ? options.resourceVersion : undefined,
    continue: token,
  });
  return { method: 'GET', path: collectionPath(resource, options.namespace) + query };
}

export function buildWatch(resource: Resource, options: WatchOptions): ApiRequest {
  const query = buildQuery({
    watch: true,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
    allowWatchBookmarks: options.allowWatchBookmarks,
    timeoutSeconds: options.timeoutSeconds,
  });
  return { method: 'GET', path: collectionPath(resource, options.namespace) + query };
}

function writeQuery(options: WriteOptions): Record<string, QueryValue> {
  return {
    dryRun: options.dryRun === true ? 'All' : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
  };
}

/** Adds apiVersion and kind where the caller left them out; sub-resources have kinds of their own. */
function withKind<T extends object>(resource: Resource, object: T, subresource: string | undefined): T {
  if (subresource !== undefined && subresource !== 'status') return object;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
}

export function buildCreate<T extends KubeObject>(
  resource: Resource,
  object: NewObject<T>,
  options: WriteOptions,
): ApiRequest {
  const { name, generateName } = object.metadata as { name?: string; generateName?: string };
  const namespace = options.namespace ?? object.metadata.namespace;
  if (resource.namespaced) requireNamespace(resource, namespace, name ?? `${generateName ?? ''}…`);
  const path =
    options.subresource === undefined
      ? collectionPath(resource, namespace)
      : objectPath(resource, name ?? '', namespace, options.subresource);
  return {
    method: 'POST',
    path: path + buildQuery(writeQuery(options)),
    body: JSON.stringify(withKind(resource, object, options.subresource)),
    contentType: 'application/json',
  };
}

export function buildUpdate<T extends KubeObject>(
  resource: Resource,
  object: T,
  options: WriteOptions,
): ApiRequest {
  const { name, namespace } = object.metadata;
  const path = objectPath(resource, name, options.namespace ?? namespace, options.subresource);
  return {
    method: 'PUT',
    path: path + buildQuery(writeQuery(options)),
    body: JSON.stringify(withKind(resource, object, options.subresource)),
    contentType: 'application/json',
  };
}

export function buildPatch(
  resource: Resource,
  name: string,
  type: PatchType,
  patch: unknown,
  options: PatchOptions,
): ApiRequest {
  const path = objectPath(resource, name, options.namespace, options.subresource);
  const query = buildQuery({
    ...writeQuery(options),
    fieldManager: options.fieldManager ?? (type === 'apply' ? DEFAULT_FIELD_MANAGER : undefined),
    force: type === 'apply' ? options.force : undefined,
  });
  // JSON is YAML too, so an apply patch needs no other writer.
  return {
    method: 'PATCH',
    path: path + query,
    body: JSON.stringify(patch),
    contentType: PATCH_TYPES[type],
  };
}

function deleteBody(options: DeleteOptions): Pick<ApiRequest, 'body' | 'contentType'> {
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    gracePeriodSeconds: options.gracePeriodSeconds,
    propagationPolicy: options.propagationPolicy,
    preconditions: options.preconditions,
    ...(options.dryRun === true ? { dryRun: ['All'] } : {}),
  };
  return { body: JSON.stringify(body), contentType: 'application/json' };
}

export function buildDelete(resource: Resource, name: string, options: DeleteOptions): ApiRequest {
  return {
    method: 'DELETE',
    path: objectPath(resource, name, options.namespace),
    ...deleteBody(options),
  };
}

/** @throws TypeError without a namespace: a field that is left out must not empty every namespace. */
export function buildDeleteCollection(resource: Resource, options: DeleteOptions & ListOptions): ApiRequest {
  if (resource.namespaced) requireNamespace(resource, options.namespace, '(collection)');
  const query = buildQuery({ labelSelector: options.labelSelector, fieldSelector: options.fieldSelector });
  return {
    method: 'DELETE',
    path: collectionPath(resource, options.namespace) + query,
    ...deleteBody(options),
  };
}

/** `pods` as a literal: the log sub-resource exists for no other kind. */
const PODS: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };

export function buildLog(pod: string, options: LogOptions): ApiRequest {
  const query = buildQuery({
    container: options.container,
    follow: options.follow === true ? true : undefined,
    previous: options.previous === true ? true : undefined,
    timestamps: options.timestamps === true ? true : undefined,
    tailLines: options.tailLines,
    sinceTime: options.sinceTime,
  });
  return { method: 'GET', path: objectPath(PODS, pod, options.namespace, 'log') + query };
}

/** The handshake of exec; `stdin` asks the server to give the command one. */
export function buildExec(options: ExecOptions, stdin: boolean): ApiRequest {
  if (options.command.length === 0) {
    throw new TypeError(`cannot exec in pod ${options.name}: the command is empty; give at least a program`);
  }
  const query = buildQuery({
    container: options.container,
    stdin: stdin ? true : undefined,
    stdout: true,
    stderr: true,
  });
  const command = options.command.map((word) => `&command=${encodeURIComponent(word)}`).join('');
  return { method: 'GET', path: objectPath(PODS, options.name, options.namespace, 'exec') + query + command };
}

/** Text by which messages name a request: `GET /api/v1/namespaces/x/pods/y`. */
export function describeRequest(request: Pick<ApiRequest, 'method' | 'path'>): string {
  return `${request.method} ${request.path}`;
}
