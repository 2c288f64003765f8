/** What a URL path asks for. Source: the API's URL conventions (kubernetes.io, API concepts, Resource URIs). */
export interface RequestInfo {
  /** Percent-encoding is undone in the parts below, never here. */
  readonly path: string;
  /** Whether the path is below `/api/<version>/` or `/apis/<group>/<version>/`. */
  readonly isResource: boolean;
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; for other paths the method in lower case. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Empty where the path names none. */
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
  /** Whether the path cannot be read at all. */
  readonly isMalformed?: boolean;
  /** What follows the subresource (proxies). */
  readonly rest: readonly string[];
}

const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/**
 * Reads method and path. A path with broken percent-encoding is no resource path. `watching` is the meaning of the
 * query parameter `watch`.
 */
export function parseRequestInfo(method: string, path: string, watching: boolean): RequestInfo {
  const parts = splitPath(path);
  const none: RequestInfo = {
    path,
    isResource: false,
    verb: method.toLowerCase(),
    group: '',
    version: '',
    namespace: '',
    plural: '',
    name: '',
    subresource: '',
    rest: [],
  };
  if (parts === undefined) return { ...none, isMalformed: true };
  const [root, ...below] = parts;
  if (root !== 'api' && root !== 'apis') return none;
  const [group, version, ...segments] = root === 'api' ? ['', ...below] : below;
  if (group === undefined || version === undefined || segments.length === 0) return none;
  return { ...none, isResource: true, group, version, ...resourceOf(method, segments, watching) };
}

type ResourcePart = Pick<RequestInfo, 'verb' | 'namespace' | 'plural' | 'name' | 'subresource' | 'rest'>;

function resourceOf(method: string, all: readonly string[], watching: boolean): ResourcePart {
  // The old form /watch/namespaces/x/pods/y is still understood by servers and used by some clients.
  const oldWatch = all[0] === 'watch' && all.length > 1;
  const segments = oldWatch ? all.slice(1) : all;
  let namespace = '';
  let rest: readonly string[] = segments;
  const second = segments[1];
  if (segments[0] === 'namespaces' && second !== undefined) {
    namespace = second;
    const third = segments[2];
    if (third !== undefined && !NAMESPACE_SUBRESOURCES.has(third)) rest = segments.slice(2);
  }
  const [plural = '', name = '', subresource = '', ...more] = rest;
  let verb = VERBS[method] ?? method.toLowerCase();
  if (oldWatch) verb = method === 'GET' ? 'watch' : verb;
  else if (verb === 'get' && name === '') verb = watching ? 'watch' : 'list';
  else if (verb === 'delete' && name === '') verb = 'deletecollection';
  return { verb, namespace, plural, name, subresource, rest: more };
}

function splitPath(path: string): string[] | undefined {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
