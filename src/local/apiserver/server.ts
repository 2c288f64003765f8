import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterConfig } from '../../kube/client/types.ts';
import { type Clock, type Random, systemClock } from '../../kube/runtime/clock.ts';
import { type Journal, Store } from '../store/index.ts';
import { AUTHENTICATED_GROUP, MASTERS_GROUP, type User } from './auth/user.ts';
import { createSystemNamespaces } from './bootstrap.ts';
import { definitionKind } from './crd/definition-kind.ts';
import { DefinitionLifecycle } from './crd/lifecycle.ts';
import { handleDiscovery } from './discovery/handle.ts';
import { dispatchResource } from './dispatch.ts';
import type { ResourceRequest } from './handlers/request.ts';
import { WatchRegistry } from './handlers/watch.ts';
import { type ApiReply, type ApiRequest, valueReply } from './http/exchange.ts';
import { parseRequestInfo } from './http/request-info.ts';
import { internalError, noSuchPath, StatusError, unauthorized } from './http/status.ts';
import { BUILT_IN_KINDS } from './kinds/index.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { type Listening, listen } from './listen.ts';
import type { Environment } from './registry/environment.ts';
import { KindRegistry } from './registry/registry.ts';
import { loadServerTls } from './tls/authority.ts';

export interface ApiServerOptions {
  /** Keys, certificates, kubeconfig and the Unix socket live here. Must exist; is made private (0700). */
  readonly dataDir: string;
  /** @default 0 = any free one */
  readonly port?: number;
  /** @default '127.0.0.1' */
  readonly host?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly journal?: Journal;
  /** Watches at a time. @default 10_000 */
  readonly maxWatches?: number;
}

const DEFAULT_MAX_WATCHES = 10_000;
const CLOSE_GRACE_MS = 2_000;

/** A Kubernetes-compatible API server. It answers in process at once; `listen` opens its sockets. */
export interface ApiServer {
  readonly store: Store;
  /** Answers one request without a network. */
  handle(request: ApiRequest): Promise<ApiReply>;
  /** Opens the sockets and writes the kubeconfig. */
  listen(): Promise<void>;
  /** `https://127.0.0.1:<port>`; known after `listen`. */
  readonly server: string;
  readonly kubeconfigPath: string;
  /** Administrator's way in over the Unix socket. */
  readonly adminConfig: ClusterConfig;
  readonly adminToken: string;
  /** Ends watches and connections. Idempotent. */
  close(): Promise<void>;
}

export function createApiServer(options: ApiServerOptions): ApiServer {
  return new Server(options);
}

class Server implements ApiServer {
  readonly store: Store;
  readonly kubeconfigPath: string;
  readonly adminToken: string;
  readonly #options: ApiServerOptions;
  readonly #clock: Clock;
  readonly #kinds = new KindRegistry();
  readonly #env: Environment;
  readonly #watches: WatchRegistry;
  readonly #socketPath: string;
  #listening: Listening | undefined;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    mkdirSync(options.dataDir, { recursive: true });
    chmodSync(options.dataDir, 0o700);
    this.store = new Store(options.journal === undefined ? {} : { journal: options.journal });
    for (const definition of BUILT_IN_KINDS) this.#kinds.add(definition);
    this.#kinds.add(definitionKind(() => this.#kinds));
    this.#env = {
      store: this.store,
      kinds: this.#kinds,
      clock: this.#clock,
      random: options.random ?? Math.random,
      admit: () => undefined,
      review: () => undefined,
    };
    new DefinitionLifecycle(this.#env);
    createSystemNamespaces(this.#env);
    this.#watches = new WatchRegistry(options.maxWatches ?? DEFAULT_MAX_WATCHES);
    this.adminToken = loadToken(join(options.dataDir, 'admin.token'));
    this.kubeconfigPath = join(options.dataDir, 'kubeconfig');
    this.#socketPath = join(options.dataDir, 'apiserver.sock');
  }

  get server(): string {
    const port = this.#listening?.port ?? this.#options.port ?? 0;
    return `https://${this.#options.host ?? '127.0.0.1'}:${port}`;
  }

  get adminConfig(): ClusterConfig {
    return {
      server: 'http://localhost',
      socketPath: this.#socketPath,
      token: () => this.adminToken,
      namespace: 'default',
    };
  }

  async handle(request: ApiRequest): Promise<ApiReply> {
    try {
      return await this.#answer(request);
    } catch (error) {
      const status = error instanceof StatusError ? error : internalError(describe(error), error);
      return valueReply(status.code, status.toStatus());
    }
  }

  async #answer(http: ApiRequest): Promise<ApiReply> {
    const at = http.url.indexOf('?');
    const path = at === -1 ? http.url : http.url.slice(0, at);
    const query = new URLSearchParams(at === -1 ? '' : http.url.slice(at + 1));
    const watch = query.get('watch');
    const info = parseRequestInfo(http.method, path, watch !== null && watch !== '0' && watch !== 'false');
    const user = this.#authenticate(http);
    if (!info.isResource) {
      const reply = handleDiscovery(http, path, this.#kinds, this.server);
      if (reply === undefined) throw noSuchPath();
      return reply;
    }
    const kind = this.#kinds.find(info.group, info.version, info.plural);
    if (kind === undefined) throw noSuchPath();
    const warnings: string[] = [];
    const request: ResourceRequest = { http, info, query, kind, user, env: this.#env, warnings };
    return dispatchResource(request, this.#watches);
  }

  #authenticate(http: ApiRequest): User {
    const header = http.headers.authorization ?? '';
    if (header === `Bearer ${this.adminToken}`) {
      return { name: 'kubernetes-admin', groups: [MASTERS_GROUP, AUTHENTICATED_GROUP] };
    }
    throw unauthorized();
  }

  async listen(): Promise<void> {
    if (this.#listening !== undefined) return;
    const { dataDir, host = '127.0.0.1', port = 0 } = this.#options;
    const tls = loadServerTls(dataDir, this.#clock.now(), []);
    rmSync(this.#socketPath, { force: true });
    this.#listening = await listen({
      handle: (request) => this.handle(request),
      handleUpgrade: (_request, _message, socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n'),
      host,
      port,
      socketPath: this.#socketPath,
      tls,
    });
    writeKubeconfig(this.kubeconfigPath, {
      server: this.server,
      certificateAuthority: tls.authority,
      token: this.adminToken,
    });
  }

  async close(): Promise<void> {
    this.#watches.endAll();
    const listening = this.#listening;
    this.#listening = undefined;
    await listening?.close(CLOSE_GRACE_MS);
    rmSync(this.#socketPath, { force: true });
  }
}

/** The administrator's token of the data directory, made when there is none. */
function loadToken(path: string): string {
  if (existsSync(path)) {
    const kept = readFileSync(path, 'utf8').trim();
    if (kept.length >= 32) return kept;
  }
  const token = randomBytes(32).toString('base64url');
  writeFileSync(path, `${token}\n`, { mode: 0o600 });
  return token;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
