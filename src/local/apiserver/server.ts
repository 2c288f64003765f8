import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { Pod } from '../../api/core.ts';
import type { Resource } from '../../api/resources.ts';
import type { ClusterConfig } from '../../kube/client/types.ts';
import { type Clock, type Random, systemClock } from '../../kube/runtime/clock.ts';
import { type Journal, ObjectTooLargeError, Store } from '../store/index.ts';
import { admit, review } from './admission/chain.ts';
import { type Judge, Judges } from './admission/judges.ts';
import { startQuotaStatus } from './admission/quota.ts';
import { startApiServices } from './api-services.ts';
import { loadToken } from './auth/admin-token.ts';
import { startAggregation } from './auth/aggregation.ts';
import { type Attributes, attributesOf, refusal } from './auth/attributes.ts';
import { Authenticator } from './auth/authenticator.ts';
import { readImpersonation } from './auth/impersonation.ts';
import { loadSigningKey } from './auth/jwt.ts';
import { RbacAuthorizer } from './auth/rbac.ts';
import { ISSUER, TokenVerifier } from './auth/service-account-token.ts';
import type { User } from './auth/user.ts';
import {
  createMetricsRole,
  createSystemNamespaces,
  createSystemObjects,
  publishServer,
} from './bootstrap.ts';
import { startCertificateSigner } from './certificates/signer.ts';
import { definitionKind } from './crd/definition-kind.ts';
import { DefinitionLifecycle } from './crd/lifecycle.ts';
import { handleDiscovery } from './discovery/handle.ts';
import { dispatchResource, type Services } from './dispatch.ts';
import type { ResourceRequest } from './handlers/request.ts';
import { WatchRegistry } from './handlers/watch.ts';
import { negotiate } from './http/accept.ts';
import { type ApiReply, type ApiRequest, JSON_TYPE, textReply, valueReply } from './http/exchange.ts';
import { FlowControl } from './http/flow-control.ts';
import { parseRequestInfo, type RequestInfo } from './http/request-info.ts';
import {
  badRequest,
  insufficientStorage,
  internalError,
  methodNotAllowed,
  noSuchPath,
  StatusError,
  unauthorized,
} from './http/status.ts';
import { warningHeader } from './http/warnings.ts';
import { AddressBlock } from './kinds/allocator.ts';
import { builtInKinds } from './kinds/index.ts';
import { renumberServices } from './kinds/renumber.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { type Listening, listen } from './listen.ts';
import { METRICS_KINDS } from './metrics/kinds.ts';
import type { UsageSource } from './metrics/usage.ts';
import { OpenApi } from './openapi/handle.ts';
import type { Environment } from './registry/environment.ts';
import { startEventExpiry } from './registry/event-expiry.ts';
import { readVersion } from './registry/read.ts';
import { KindRegistry, type ServedKind } from './registry/registry.ts';
import { nameSelectedBy } from './selectors/selection.ts';
import type { PodLogSource } from './subresources/log.ts';
import { mustReachNode, type NodeReach } from './subresources/node-reach.ts';
import { PROXIED } from './subresources/proxy/target.ts';
import {
  chooseTarget,
  refuseUpgrade,
  type UpgradeHandler,
  type UpgradeKind,
} from './subresources/upgrade.ts';
import { loadAuthority, loadServerTls } from './tls/authority.ts';

export interface ApiServerOptions {
  /** Keys, certificates and kubeconfig live here. Must exist; is made private (0700). */
  readonly dataDir: string;
  /** Folder of the Unix socket, whose path must not be longer than some 100 characters. @default dataDir */
  readonly runDir?: string;
  /** @default 0 = any free one */
  readonly port?: number;
  /** @default '127.0.0.1' */
  readonly host?: string;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly journal?: Journal;
  /** Block of cluster addresses of services. @default '10.96.0.0/16' */
  readonly serviceCidr?: string;
  /** Watches at a time. @default 10_000 */
  readonly maxWatches?: number;
  /** Changes kept per kind for watches that resume. @default 10_000 */
  readonly historyLimit?: number;
  /** Bytes that may wait for one reader of a watch before it has to catch up. @default 1 MiB */
  readonly watchBufferBytes?: number;
}

const DEFAULT_SERVICE_CIDR = '10.96.0.0/16';
const DEFAULT_MAX_WATCHES = 10_000;
const CLOSE_GRACE_MS = 2_000;
/** A read beside writes that cannot be kept is done again; more often than this only if every turn has such a write. */
const READ_ATTEMPTS = 5;

/** A Kubernetes-compatible API server. It answers in process at once; `listen` opens its sockets. */
export interface ApiServer {
  readonly store: Store;
  /** Answers one request without a network. */
  handle(request: ApiRequest): Promise<ApiReply>;
  /** Opens the sockets and writes the kubeconfig; on another port than that of the options if one is given. */
  listen(port?: number): Promise<void>;
  /** `https://127.0.0.1:<port>`; known after `listen`. */
  readonly server: string;
  readonly kubeconfigPath: string;
  /** Administrator's way in over the Unix socket. */
  readonly adminConfig: ClusterConfig;
  readonly adminToken: string;
  /** Connects the node agent's logs to `pods/log`. */
  setPodLogSource(source: PodLogSource): void;
  /** Says which nodes do not answer; without it all do. */
  setNodeReach(reach: NodeReach): void;
  /** Serves metrics.k8s.io with what the node agents measure; before, there is no such group. */
  serveMetrics(source: UsageSource): void;
  /** Says that a part of the control plane works beside the server, for `kubectl get componentstatuses`. */
  addComponent(name: string): void;
  /** Whoever writes objects of a kind is told this, beside the answer. */
  warnWriters(resource: Pick<Resource, 'group' | 'plural'>, text: string): void;
  /** Has creations and changes of a kind judged by rules that are not this server's own. */
  judgeWrites(resource: Pick<Resource, 'group' | 'plural'>, judge: Judge): void;
  /** Connects the node agent to `pods/exec`, `pods/attach` or `pods/portforward`. */
  registerUpgrade(kind: UpgradeKind, handler: UpgradeHandler): void;
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
  readonly #addresses: AddressBlock;
  readonly #openApi = new OpenApi(this.#kinds);
  readonly #authorizer: RbacAuthorizer;
  readonly #authenticator: Authenticator;
  readonly #services: Omit<Services, 'components' | 'logSource' | 'nodeReach' | 'usage'>;
  /** The store is called as clients know it. */
  readonly #components = new Set(['etcd-0']);
  #logSource: PodLogSource | undefined;
  #nodeReach: NodeReach | undefined;
  #usage: UsageSource | undefined;
  /** By group and plural. */
  readonly #notes = new Map<string, string>();
  readonly #judges = new Judges();
  readonly #stopExpiry: () => void;
  readonly #upgrades = new Map<string, UpgradeHandler>();
  readonly #socketPath: string;
  #listening: Listening | undefined;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    mkdirSync(options.dataDir, { recursive: true });
    chmodSync(options.dataDir, 0o700);
    this.store = new Store({
      ...(options.journal === undefined ? {} : { journal: options.journal }),
      ...(options.historyLimit === undefined ? {} : { historyLimit: options.historyLimit }),
    });
    this.#addresses = new AddressBlock(options.serviceCidr ?? DEFAULT_SERVICE_CIDR);
    for (const definition of builtInKinds(this.#addresses, this.store)) this.#kinds.add(definition);
    this.#kinds.add(definitionKind(() => this.#kinds));
    this.#env = {
      store: this.store,
      kinds: this.#kinds,
      clock: this.#clock,
      random: options.random ?? Math.random,
      uid: randomUUID,
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
    startCertificateSigner(this.#env, () => loadAuthority(options.dataDir, this.#clock.now()));
    startQuotaStatus(this.#env);
    this.#stopExpiry = startEventExpiry(this.store, this.#clock);
    const signingKey = loadSigningKey(join(options.dataDir, 'sa.key'));
    const verifier = new TokenVerifier(signingKey, this.store);
    this.adminToken = loadToken(join(options.dataDir, 'admin.token'));
    this.#authenticator = new Authenticator(this.adminToken, verifier);
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
    for (let attempt = 1; ; attempt += 1) {
      const reply = await this.#reply(request);
      try {
        // Nothing leaves the server before everything it may tell of is durable: not a write, nor what it was refused
        // for, nor what somebody reads meanwhile. A watch looks after that by itself.
        const flushed = this.store.flushed();
        if (flushed !== undefined) await flushed;
        return reply;
      } catch (error) {
        // What was read is undone; what there is now is durable.
        if (isReading(request.method) && attempt < READ_ATTEMPTS) continue;
        return statusReply(insufficientStorage(describe(error), error));
      }
    }
  }

  async #reply(request: ApiRequest): Promise<ApiReply> {
    try {
      return await this.#answer(request);
    } catch (error) {
      return statusReply(asStatusError(error));
    }
  }

  async #answer(http: ApiRequest): Promise<ApiReply> {
    const { path, query } = splitUrl(http.url);
    const watch = query.get('watch');
    const info = parseRequestInfo(http.method, path, watch !== null && watch !== '0' && watch !== 'false');
    if (info.isMalformed === true) return textReply(400, '400 Bad Request');
    if (PUBLIC_PATHS.test(path)) {
      const reply = handleDiscovery(http, path, this.#kinds, this.server);
      if (reply !== undefined) return reply;
    }
    const user = this.#permitted(http, { ...info, name: selectedName(info, query) });
    if (!info.isResource) {
      const reply = this.#openApi.handle(http, path) ?? handleDiscovery(http, path, this.#kinds, this.server);
      return reply ?? this.#noPath(path);
    }
    // A name is one segment of the path; an escaped slash makes it none.
    if (info.name.includes('/') || info.plural.includes('/')) throw noSuchPath();
    const kind = this.#kinds.find(info.group, info.version, info.plural);
    if (kind === undefined || isMisplaced(kind, info)) {
      // Groups that nobody serves have no handler at all, not even one for errors.
      const isServed = this.#kinds.hasVersion(info.group, info.version) || BUILT_IN_GROUPS.test(info.group);
      if (kind !== undefined || !isServed) return NO_PAGE;
      throw noSuchPath();
    }
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

  /** A path that is nothing: below a served group a Status, below others nothing, elsewhere the paths there are. */
  #noPath(path: string): ApiReply {
    const [root, group] = path.split('/').filter((part) => part !== '');
    if (root === 'api' || (root === 'apis' && group !== undefined && this.#kinds.hasGroup(group)))
      throw noSuchPath();
    if (root === 'apis') return NO_PAGE;
    const paths = [
      '/api',
      '/api/v1',
      '/apis',
      '/healthz',
      '/livez',
      '/openapi/v2',
      '/openapi/v3',
      '/readyz',
      '/version',
    ];
    return valueReply(path === '/' ? 200 : 404, { paths });
  }

  /** Who asks, after impersonation; throws Unauthorized and Forbidden. */
  #permitted(http: ApiRequest, info: RequestInfo): User {
    const nowSeconds = Math.floor(this.#clock.now() / 1000);
    const real = this.#authenticator.authenticate(http.headers, http.certificate, nowSeconds);
    if (real === undefined) throw unauthorized();
    const impersonation = readImpersonation(http.headers);
    for (const required of impersonation?.required ?? []) this.#mustBeAllowed(real, required);
    const user = impersonation?.user ?? real;
    this.#mustBeAllowed(user, attributesOf(info));
    return user;
  }

  #mustBeAllowed(user: User, attributes: Attributes): void {
    const decision = this.#authorizer.authorize(user, attributes);
    if (!decision.allowed) throw refusal(user, attributes, decision.reason);
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
    this.#upgrades.set(kind, handler);
  }

  async #upgrade(http: ApiRequest, message: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    try {
      const { path, query } = splitUrl(http.url);
      const info = parseRequestInfo(http.method, path, false);
      const user = this.#permitted(http, info);
      if (info.subresource === 'proxy' && info.group === '' && PROXIED.has(info.plural)) {
        const { upgradeProxy } = await import('./subresources/proxy/upgrade.ts');
        await upgradeProxy({ env: this.#env, info, message, socket, head });
        return;
      }
      const pods = this.#kinds.find('', 'v1', 'pods');
      if (info.group !== '' || info.plural !== 'pods' || pods === undefined) throw noSuchPath();
      if (!isUpgradeKind(info.subresource) || info.rest.length > 0) throw noSuchPath();
      if (http.method !== 'GET' && http.method !== 'POST') throw methodNotAllowed();
      const version = readVersion(this.#env, pods.definition, info.namespace, info.name);
      // Decoded with the type of a Pod when it was written.
      const pod = version.object as unknown as Pod;
      const container = chooseTarget(pod, info.subresource, query);
      mustReachNode(this.#env, this.#nodeReach, pod, { kind: 'connect' });
      const handler = this.#upgrades.get(info.subresource);
      if (handler === undefined) throw badRequest(`no node agent serves ${info.subresource}`);
      await handler({ pod, user, container, query, message, socket, head });
    } catch (error) {
      refuseUpgrade(socket, error instanceof StatusError ? error : internalError(describe(error), error));
    }
  }

  async listen(port: number = this.#options.port ?? 0): Promise<void> {
    if (this.#listening !== undefined) return;
    const { dataDir, host = '127.0.0.1' } = this.#options;
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
      socketPath: this.#socketPath,
      tls,
      identify: (headers, certificate) =>
        this.#authenticator.authenticate(headers, certificate, Math.floor(this.#clock.now() / 1000))?.name,
      flow: new FlowControl(),
    });
    publishServer(this.#env, this.#addresses.first, host, this.#listening.port);
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

function isUpgradeKind(subresource: string): subresource is UpgradeKind {
  return subresource === 'exec' || subresource === 'attach' || subresource === 'portforward';
}

/** Groups of Kubernetes itself have a handler for every version. */
const BUILT_IN_GROUPS = /^(|apps|batch|policy|autoscaling|[a-z.]+\.k8s\.io)$/;

const NO_PAGE = textReply(404, '404 page not found\n');

/** A namespace in the path of a kind that has none. */
function isMisplaced({ definition }: ServedKind, { namespace, plural }: RequestInfo): boolean {
  return !definition.namespaced && namespace !== '' && plural !== 'namespaces';
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Paths that tell nothing about the cluster's content and are served to anybody. */
const PUBLIC_PATHS = /^\/(healthz|livez|readyz|version)\/?$/;

function splitUrl(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const at = url.indexOf('?');
  if (at === -1) return { path: url, query: new URLSearchParams() };
  return { path: url.slice(0, at), query: new URLSearchParams(url.slice(at + 1)) };
}

/** The answer that tells of a failure. */
function statusReply(error: StatusError): ApiReply {
  const seconds = error.details?.retryAfterSeconds;
  const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return valueReply(error.code, error.toStatus(), headers);
}

/** The name a request is about: for collections, that which a field selector names. */
function selectedName({ verb, name }: RequestInfo, query: URLSearchParams): string {
  if (name !== '' || !['list', 'watch', 'deletecollection'].includes(verb)) return name;
  return nameSelectedBy(query.get('fieldSelector') ?? '') ?? '';
}

/** The answer as YAML where that is what the client takes. */
async function asAccepted({ headers }: ApiRequest, reply: ApiReply): Promise<ApiReply> {
  const { accept } = headers;
  if (accept === undefined || !accept.includes('yaml') || reply.body === undefined) return reply;
  if (reply.headers['content-type'] !== JSON_TYPE || negotiate(accept).isYaml !== true) return reply;
  const { stringify } = await import('yaml');
  const body = stringify(JSON.parse(Buffer.concat(reply.body).toString('utf8')));
  return {
    ...reply,
    headers: { ...reply.headers, 'content-type': 'application/yaml' },
    body: [Buffer.from(body)],
  };
}

/** Adds the Warning header. */
function withWarnings(reply: ApiReply, warnings: readonly string[]): ApiReply {
  return { ...reply, headers: { ...reply.headers, warning: warningHeader(warnings) } };
}

/** What a failed request is answered with. Only a hostile body can exhaust the stack: deep, or with endless mistakes. */
function asStatusError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  // In the words and with the code of a real server, whose storage refuses it.
  if (error instanceof ObjectTooLargeError) {
    return new StatusError(500, '', 'etcdserver: request is too large', undefined, { cause: error });
  }
  if (error instanceof RangeError && error.message.startsWith('Maximum call stack')) {
    return badRequest(
      'the request is too complex to be checked: it is nested too deeply or has too many mistakes',
    );
  }
  return internalError(describe(error), error);
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
