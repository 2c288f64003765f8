import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import type { ClusterConfig } from '@turnsole/kube/client/types';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { messageOf } from '@turnsole/kube/text/error-message';
import { Store } from '../store/index.ts';
import { admit, review } from './admission/chain.ts';
import { type Judge, Judges } from './admission/judges.ts';
import { startQuotaStatus } from './admission/quota.ts';
import { startApiServices } from './api-services.ts';
import { loadToken } from './auth/admin-token.ts';
import { startAggregation } from './auth/aggregation.ts';
import { Authenticator } from './auth/authenticator.ts';
import { Gate } from './auth/gate.ts';
import { loadSigningKey } from './auth/jwt.ts';
import { openIdDocument } from './auth/openid.ts';
import { RbacAuthorizer } from './auth/rbac.ts';
import { ISSUER, TokenVerifier } from './auth/service-account-token.ts';
import {
  createMetricsRole,
  createSystemNamespaces,
  createSystemObjects,
  publishAuthority,
  publishServer,
} from './bootstrap.ts';
import { startCertificateSigner } from './certificates/signer.ts';
import { componentRolesOnDemand } from './component-roles.ts';
import { definitionKind } from './crd/definition-kind.ts';
import { DefinitionLifecycle } from './crd/lifecycle.ts';
import { AggregatedDiscovery } from './discovery/aggregated.ts';
import { handleDiscovery, type ServerState } from './discovery/handle.ts';
import { hasHandler, NO_PAGE, noPath } from './discovery/no-path.ts';
import { APPLY_TYPE, dispatchResource, type Services } from './dispatch.ts';
import { flowControlOnDemand } from './flow-control.ts';
import { WatchRegistry } from './handlers/watch.ts';
import { mediaType } from './http/decode.ts';
import { type ApiReply, type ApiRequest, textReply } from './http/exchange.ts';
import { asAccepted, asStatusError, statusReply, withWarnings } from './http/finish.ts';
import { FlowControl } from './http/flow-control.ts';
import { parseRequestInfo, type RequestInfo } from './http/request-info.ts';
import { insufficientStorage, methodNotAllowed, noSuchPath, StatusError } from './http/status.ts';
import { ServiceAddresses } from './kinds/allocator.ts';
import { builtInKinds } from './kinds/index.ts';
import { renumberServices } from './kinds/renumber.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { type Listening, listen } from './listen.ts';
import { METRICS_KINDS } from './metrics/kinds.ts';
import { RequestMetrics, type Subject } from './metrics/request-metrics.ts';
import type { UsageSource } from './metrics/usage.ts';
import { OpenApi } from './openapi/handle.ts';
import type { ServerParts } from './registry/environment.ts';
import { startEventExpiry } from './registry/event-expiry.ts';
import { KindRegistry, type ServedKind } from './registry/registry.ts';
import type { ResourceRequest } from './request/request.ts';
import { nameSelectedBy } from './selectors/selection.ts';
import { serviceRangeOnDemand } from './service-range.ts';
import { Connections } from './subresources/connections.ts';
import type { PodLogSource } from './subresources/log.ts';
import type { NodeReach } from './subresources/node-reach.ts';
import { refuseUpgrade, type UpgradeHandler, type UpgradeKind } from './subresources/upgrade.ts';
import { loadAuthority, loadServerTls } from './tls/authority.ts';
import type { ApiServer, ApiServerOptions } from './types.ts';

/** The user agent of clients who are parts of the cluster. */
export const OWN_CLIENT = 'turnsole/cluster';

const DEFAULT_SERVICE_CIDR = '10.96.0.0/16';
const DEFAULT_MAX_WATCHES = 10_000;
const CLOSE_GRACE_MS = 2_000;
/** A read beside writes that cannot be kept is done again; more often than this only if every turn has such a write. */
const READ_ATTEMPTS = 5;

/** What a request turned out to be about, once it is known that this is served. */
interface Seen {
  subject?: Subject;
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
  readonly #env: ServerParts;
  readonly #watches: WatchRegistry;
  readonly #metrics: RequestMetrics;
  readonly #addresses: ServiceAddresses;
  readonly #aggregated = new AggregatedDiscovery(this.#kinds);
  readonly #openApi: OpenApi;
  readonly #authorizer: RbacAuthorizer;
  readonly #authenticator: Authenticator;
  readonly #gate: Gate;
  readonly #services: Omit<Services, 'components' | 'logSource' | 'nodeReach' | 'usage'>;
  /** Parts of the control plane for `kubectl get componentstatuses`; the store has the name that clients expect, etcd-0. */
  readonly #components = new Set(['etcd-0']);
  #logSource: PodLogSource | undefined;
  #nodeReach: NodeReach | undefined;
  #usage: UsageSource | undefined;
  /** Warnings for clients that write a resource, by `group/plural`. */
  readonly #notes = new Map<string, string>();
  readonly #judges = new Judges();
  /** Work to do before a request for objects of a table, by table: objects that hardly anybody looks for are made for who does. */
  readonly #onDemand: ReadonlyMap<string, () => void>;
  readonly #stopExpiry: () => void;
  readonly #connections: Connections;
  readonly #socketPath: string;
  #listening: Listening | undefined;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#openApi = new OpenApi(this.#kinds, this.#clock);
    mkdirSync(options.dataDir, { recursive: true });
    chmodSync(options.dataDir, 0o700);
    this.store = new Store({ journal: options.journal, historyLimit: options.historyLimit });
    this.#addresses = new ServiceAddresses(options.serviceCidr ?? DEFAULT_SERVICE_CIDR);
    for (const definition of builtInKinds(this.#addresses, this.store)) this.#kinds.add(definition);
    this.#kinds.add(definitionKind(() => this.#kinds));
    this.#metrics = new RequestMetrics(() => this.#clock.monotonic());
    this.#env = {
      store: this.store,
      kinds: this.#kinds,
      clock: this.#clock,
      random: options.random ?? Math.random,
      uid: randomUUID,
      onClientRequest: (host, code) => this.#metrics.asked(host, code),
      admit: (attempt) => admit(this.#env, this.#authorizer, attempt),
      review: (attempt) => {
        this.#judges.review(attempt);
        review(this.#env, attempt);
      },
    };
    this.#authorizer = new RbacAuthorizer(this.store);
    new DefinitionLifecycle(this.#env);
    createSystemNamespaces(this.#env);
    createSystemObjects(this.#env);
    startApiServices(this.#env);
    renumberServices(this.store, this.#addresses);
    startAggregation(this.#env);
    this.#onDemand = new Map([
      ...componentRolesOnDemand(this.#env),
      ...flowControlOnDemand(this.#env),
      ...serviceRangeOnDemand(this.#env, this.#addresses),
    ]);
    startCertificateSigner(this.#env, () => loadAuthority(options.dataDir, this.#clock.now()));
    startQuotaStatus(this.#env);
    this.#stopExpiry = startEventExpiry(this.store, this.#clock);
    const signingKey = loadSigningKey(join(options.dataDir, 'sa.key'));
    const verifier = new TokenVerifier(signingKey, this.store);
    this.adminToken = loadToken(join(options.dataDir, 'admin.token'));
    this.#authenticator = new Authenticator(this.adminToken, verifier);
    this.#gate = new Gate(this.#authenticator, this.#authorizer, this.#clock);
    this.#connections = new Connections(this.#env);
    const watches = new WatchRegistry(options.maxWatches ?? DEFAULT_MAX_WATCHES, options.watchBufferBytes);
    this.#watches = watches;
    this.#services = {
      watches,
      signingKey,
      reviews: {
        authorize: (user, attributes) => this.#authorizer.authorize(user, attributes),
        rulesFor: (user, namespace) => this.#authorizer.rulesFor(user, namespace),
        verifyToken: (token) => verifier.verify(token, Math.floor(this.#clock.now() / 1000)),
        defaultAudiences: [ISSUER],
      },
    };
    this.kubeconfigPath = join(options.dataDir, 'kubeconfig');
    this.#socketPath = join(options.runDir ?? options.dataDir, 'apiserver.sock');
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
    const seen: Seen = {};
    const answered = this.#metrics.begin(request.method);
    const reply = await this.#durableReply(request, seen);
    const bytes = (reply.body ?? []).reduce((sum, part) => sum + part.length, 0);
    answered(
      { code: reply.status, bytes },
      seen.subject,
      reply.stream === undefined ? undefined : request.onGone,
    );
    return reply;
  }

  async #durableReply(request: ApiRequest, seen: Seen): Promise<ApiReply> {
    for (let attempt = 1; ; attempt += 1) {
      const reply = await this.#reply(request, seen);
      try {
        // The server answers nothing before everything that the answer may reveal is durable: a write, the reason of a refusal,
        // and what a client reads meanwhile. A watch looks after that by itself.
        const flushed = this.store.flushed();
        if (flushed !== undefined) await flushed;
        return reply;
      } catch (error) {
        // The state that was read has been undone; the present one is durable.
        if (isReading(request.method) && attempt < READ_ATTEMPTS) continue;
        return statusReply(insufficientStorage(messageOf(error), error));
      }
    }
  }

  async #reply(request: ApiRequest, seen: Seen): Promise<ApiReply> {
    try {
      return await this.#answer(request, seen);
    } catch (error) {
      return statusReply(asStatusError(error));
    }
  }

  #state(): ServerState {
    return {
      kinds: this.#kinds,
      aggregated: this.#aggregated,
      server: this.server,
      store: this.store,
    };
  }

  async #answer(http: ApiRequest, seen: Seen): Promise<ApiReply> {
    const { path, query } = splitUrl(http.url);
    const watch = query.get('watch');
    const info = parseRequestInfo(http.method, path, watch !== null && watch !== '0' && watch !== 'false');
    if (info.isMalformed === true) return textReply(400, '400 Bad Request');
    const isDryRun = query.has('dryRun');
    const isApply = http.method === 'PATCH' && mediaType(http.headers['content-type']) === APPLY_TYPE;
    const subject = { info, isDryRun, isApply };
    if (!info.isResource) seen.subject = subject;
    if (PUBLIC_PATHS.test(path)) {
      const reply = await handleDiscovery(http, path, this.#state());
      if (reply !== undefined) return reply;
    }
    const user = this.#gate.admit(http, { ...info, name: selectedName(info, query) });
    if (!info.isResource) {
      const reply =
        this.#openApi.handle(http, path, query) ??
        openIdDocument(http, path, this.#services.signingKey, this.server) ??
        (await this.#metricsPage(http, path)) ??
        (await handleDiscovery(http, path, this.#state()));
      return reply ?? noPath(this.#kinds, path);
    }
    // A name is one segment of the path; an escaped slash makes it none.
    if (info.name.includes('/') || info.plural.includes('/')) throw noSuchPath();
    const kind = this.#kinds.find(info.group, info.version, info.plural);
    if (kind === undefined || isMisplaced(kind, info)) {
      // Groups that are not served have no handler at all, not even one for errors.
      if (kind !== undefined || !hasHandler(this.#kinds, info.group, info.version)) return NO_PAGE;
      throw noSuchPath();
    }
    seen.subject = subject;
    // The cluster's own controllers follow every kind.
    if (http.headers['user-agent'] !== OWN_CLIENT) this.#onDemand.get(kind.definition.table)?.();
    if (http.method === 'HEAD' && info.subresource !== 'proxy') throw methodNotAllowed();
    const warnings: string[] = [];
    const note = this.#notes.get(`${info.group}/${info.plural}`);
    if (note !== undefined && http.method !== 'GET' && http.method !== 'DELETE') warnings.push(note);
    const request: ResourceRequest = { http, info, query, kind, user, env: this.#env, warnings };
    try {
      const reply = await asAccepted(
        http,
        await dispatchResource(request, {
          ...this.#services,
          logSource: this.#logSource,
          nodeReach: this.#nodeReach,
          components: [...this.#components].sort(),
          usage: this.#usage,
        }),
      );
      return warnings.length === 0 ? reply : withWarnings(reply, warnings);
    } catch (error) {
      if (warnings.length === 0 || !(error instanceof StatusError)) throw error;
      return withWarnings(statusReply(error), warnings);
    }
  }

  /** Undefined for other paths. */
  async #metricsPage({ method }: ApiRequest, path: string): Promise<ApiReply | undefined> {
    if (path !== '/metrics' || !isReading(method)) return undefined;
    const stored = this.#kinds.definitions().map(({ group, plural, table }) => ({
      group,
      resource: plural,
      count: this.store.count(table),
    }));
    const text = await this.#metrics.page(stored);
    const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' };
    return { status: 200, headers, body: [Buffer.from(text)] };
  }

  setPodLogSource(source: PodLogSource): void {
    this.#logSource = source;
  }

  setNodeReach(reach: NodeReach): void {
    this.#nodeReach = reach;
  }

  serveMetrics(source: UsageSource): void {
    this.#usage = source;
    for (const definition of METRICS_KINDS) this.#kinds.add(definition);
    createMetricsRole(this.#env);
  }

  addComponent(name: string): void {
    this.#components.add(name);
  }

  warnWriters({ group, plural }: Pick<Resource, 'group' | 'plural'>, text: string): void {
    this.#notes.set(`${group}/${plural}`, text);
  }

  judgeWrites(resource: Pick<Resource, 'group' | 'plural'>, judge: Judge): void {
    this.#judges.add(resource, judge);
  }

  registerUpgrade(kind: UpgradeKind, handler: UpgradeHandler): void {
    this.#connections.register(kind, handler);
  }

  async #upgrade(http: ApiRequest, message: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      const { path, query } = splitUrl(http.url);
      const info = parseRequestInfo(http.method, path, false);
      const user = this.#gate.admit(http, info);
      const nodeReach = this.#nodeReach;
      await this.#connections.open({ info, query, user, message, socket, head, nodeReach });
    } catch (error) {
      refuseUpgrade(socket, asStatusError(error));
    }
  }

  async listen(port: number = this.#options.port ?? 0): Promise<void> {
    if (this.#listening !== undefined) return;
    const { dataDir, host = '127.0.0.1', listenElsewhere } = this.#options;
    const tls = loadServerTls(dataDir, this.#clock.now(), [this.#addresses.first]);
    this.#authenticator.trust(tls.authority);
    rmSync(this.#socketPath, { force: true });
    this.#listening = await listen({
      handle: (request) => this.handle(request),
      handleUpgrade: (request, message, socket, head) => {
        void this.#upgrade(request, message, socket, head);
      },
      host,
      port,
      listenElsewhere,
      socketPath: this.#socketPath,
      tls,
      identify: (headers, certificate) => this.#gate.identify(headers, certificate)?.name,
      flow: new FlowControl(),
    });
    publishServer(this.#env, this.#addresses.first, host, this.#listening.port);
    publishAuthority(this.#env, tls.authority);
    writeKubeconfig(this.kubeconfigPath, {
      server: this.server,
      certificateAuthority: tls.authority,
      token: this.adminToken,
    });
  }

  async close(): Promise<void> {
    this.#stopExpiry();
    this.#watches.endAll();
    const listening = this.#listening;
    this.#listening = undefined;
    await listening?.close(CLOSE_GRACE_MS);
    rmSync(this.#socketPath, { force: true });
  }
}

/** A namespace in the path of a kind that has none. */
function isMisplaced({ definition }: ServedKind, { namespace, plural }: RequestInfo): boolean {
  return !definition.namespaced && namespace !== '' && plural !== 'namespaces';
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Paths that reveal nothing of the cluster's content and are served to anybody. */
const PUBLIC_PATHS = /^\/(healthz|livez|readyz|version)\/?$/;

function splitUrl(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const at = url.indexOf('?');
  if (at === -1) return { path: url, query: new URLSearchParams() };
  return { path: url.slice(0, at), query: new URLSearchParams(url.slice(at + 1)) };
}

/** The name a request is about: for collections, that which a field selector names. */
function selectedName({ verb, name }: RequestInfo, query: URLSearchParams): string {
  if (name !== '' || !['list', 'watch', 'deletecollection'].includes(verb)) return name;
  return nameSelectedBy(query.get('fieldSelector') ?? '') ?? '';
}
