import { type ApiReply, textReply, valueReply } from '../http/exchange.ts';
import { noSuchPath } from '../http/status.ts';
import type { KindRegistry } from '../registry/registry.ts';

const PATHS = [
  '/.well-known/openid-configuration',
  '/api',
  '/api/v1',
  '/apis',
  '/healthz',
  '/livez',
  '/openapi/v2',
  '/openapi/v3',
  '/openid/v1/jwks',
  '/readyz',
  '/version',
] as const;

/** Groups of Kubernetes itself have a handler for every version. */
const BUILT_IN_GROUPS = /^(|apps|batch|policy|autoscaling|[a-z.]+\.k8s\.io)$/;

export const NO_PAGE = textReply(404, '404 page not found\n');

/** The answer for an unknown path: below a served group a Status, below other groups nothing, elsewhere the list of paths. */
export function noPath(kinds: KindRegistry, path: string): ApiReply {
  const [root, group] = path.split('/').filter((part) => part !== '');
  if (root === 'api' || (root === 'apis' && group !== undefined && kinds.hasGroup(group))) throw noSuchPath();
  if (root === 'apis') return NO_PAGE;
  return valueReply(path === '/' ? 200 : 404, { paths: PATHS });
}

/** Whether a group has a handler, if only one for errors. */
export function hasHandler(kinds: KindRegistry, group: string, version: string): boolean {
  return kinds.hasVersion(group, version) || BUILT_IN_GROUPS.test(group);
}
