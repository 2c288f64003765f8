import type { ApiRequest } from './request.ts';

/** One request as it reached the server, in the words of Kubernetes' permissions and audit log. */
export interface ApiCall {
  /** get, list, watch, create, update, patch, delete or deletecollection; `connect` for a WebSocket. */
  readonly verb: string;
  /** Plural, with its subresource: `pods`, `pods/log`. Empty for requests without a resource: discovery, health. */
  readonly resource: string;
}

/** A call and how it was answered. */
export interface AnsweredCall extends ApiCall {
  /** HTTP status; undefined when the connection failed before an answer came. */
  readonly code: number | undefined;
  /** From the moment of sending to the head of the answer, or to the failure. */
  readonly seconds: number;
}

const WRITES: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

/** Verb and resource of a request: paths are `/api/v1/…` and `/apis/<group>/<version>/…`. Pure. */
export function describeCall({ method, path }: Pick<ApiRequest, 'method' | 'path'>): ApiCall {
  const [route = '', query = ''] = path.split('?');
  const parts = route.split('/').filter((part) => part !== '');
  const rest = parts[0] === 'api' ? parts.slice(2) : parts[0] === 'apis' ? parts.slice(3) : [];
  const [resource, name, subresource] = isInsideNamespace(rest) ? rest.slice(2) : rest;
  if (resource === undefined) return { verb: method.toLowerCase(), resource: '' };
  return {
    verb: verbOf(method, name !== undefined, new URLSearchParams(query)),
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
  };
}

/** `namespaces/x/pods/…` is about pods, `namespaces/x` and its subresources are about the namespace itself. */
function isInsideNamespace([first, , third]: readonly string[]): boolean {
  return first === 'namespaces' && third !== undefined && !['status', 'finalize'].includes(third);
}

function verbOf(method: string, isNamed: boolean, query: URLSearchParams): string {
  if (method === 'DELETE') return isNamed ? 'delete' : 'deletecollection';
  if (method !== 'GET') return WRITES[method] ?? method.toLowerCase();
  if (['1', 'true'].includes(query.get('watch') ?? '')) return 'watch';
  return isNamed ? 'get' : 'list';
}
