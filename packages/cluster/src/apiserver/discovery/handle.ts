import { KUBERNETES_VERSION } from '../../base/version.ts';
import type { Store } from '../../store/index.ts';
import { type ApiReply, type ApiRequest, textReply, valueReply } from '../http/exchange.ts';
import { methodNotAllowed } from '../http/status.ts';
import type { KindRegistry } from '../registry/registry.ts';
import type { AggregatedDiscovery } from './aggregated.ts';
import { coreVersions, groupList, groupOf, resourceList } from './groups.ts';

/** What the server says of itself. The numbers are the API level it follows. */
const VERSION = {
  major: '1',
  minor: KUBERNETES_VERSION.split('.')[1] ?? '',
  gitVersion: `${KUBERNETES_VERSION}+turnsole`,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2025-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'node',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};

/** Whose state the paths of health and discovery show. */
export interface ServerState {
  readonly kinds: KindRegistry;
  readonly aggregated: AggregatedDiscovery;
  /** Its address. */
  readonly server: string;
  readonly store: Pick<Store, 'writeFailure'>;
}

/** Answers discovery, health and version paths; undefined for every other path. */
export async function handleDiscovery(
  request: ApiRequest,
  path: string,
  { kinds, aggregated, server, store }: ServerState,
): Promise<ApiReply | undefined> {
  const parts = path.split('/').filter((part) => part !== '');
  const [root, group, version] = parts;
  const isKnown = ['healthz', 'livez', 'readyz', 'version', 'api', 'apis'].includes(root ?? '');
  if (isKnown && request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  switch (root) {
    case 'healthz':
    case 'livez':
      // A restart makes no room on a full disk: a store that takes no writes is alive.
      return health(request, root, undefined);
    case 'readyz':
      return health(request, root, await store.writeFailure());
    case 'version':
      return valueReply(200, VERSION);
    case 'api':
      if (parts.length === 1) return aggregated.answer(request, true) ?? plain(coreVersions(server));
      return parts.length === 2 ? found(resourceList(kinds, '', group ?? '')) : undefined;
    case 'apis':
      if (parts.length === 1) return aggregated.answer(request, false) ?? plain(groupList(kinds));
      if (parts.length === 2) return found(groupOf(kinds, group ?? ''));
      return parts.length === 3 ? found(resourceList(kinds, group ?? '', version ?? '')) : undefined;
    default:
      return undefined;
  }
}

/** A document at a path whose other form has another type: caches must not mistake one for the other. */
function plain(document: object): ApiReply {
  return valueReply(200, document, { vary: 'Accept' });
}

function found(document: object | undefined): ApiReply | undefined {
  return document === undefined ? undefined : valueReply(200, document);
}

/** Anybody may ask: reasons, which name folders, are withheld, as a real server does. */
function health(request: ApiRequest, name: string, failure: Error | undefined): ApiReply {
  if (failure !== undefined) {
    const reason = 'writes are refused, and the answer to a write says why';
    return textReply(500, `[+]ping ok\n[-]store failed: ${reason}\n${name} check failed\n`);
  }
  const verbose = request.url.includes('verbose');
  return textReply(200, verbose ? `[+]ping ok\n[+]store ok\n${name} check passed\n` : 'ok');
}
