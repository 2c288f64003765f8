import type { Server as TlsServer } from 'node:tls';
import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { createLogger, type Logger } from '@turnsole/kube/base/log';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Certificate } from '@turnsole/kube/serve/server';
import { messageOf } from '@turnsole/kube/text/error-message';
import type { FastifyInstance } from 'fastify';
import { CertificateFiles } from '../../process/http/certificate-files.ts';
import { startHealthServer } from '../../process/http/health.ts';
import { aborted } from '../../process/signals.ts';
import type { ControlPlane } from '../access/context.ts';
import { systemIds } from '../access/ids.ts';
import { ObservedCluster } from '../cluster/observed-cluster.ts';
import { END_MS } from '../http/app.ts';
import type { ObservedRequest } from '../http/observe.ts';
import type { ClusterTerminal } from '../schema/generated/types.ts';
import { type Administrator, ensureAdministrator } from '../user/index.ts';
import { buildServer } from './build-server.ts';
import { openControlPlane } from './control-plane.ts';
import { lockDataFolder } from './data-lock.ts';
import { doDuties } from './duties.ts';
import { followCertificate } from './follow-certificate.ts';
import { addHealthRoutes } from './health.ts';
import { type ListenAddress, urlOf } from './listen-address.ts';
import { ensureLocalInfra, type LocalAgent, type LocalInfra } from './local-infra.ts';
import { ensureLocalPerson } from './local-person.ts';
import { openLocalSession } from './local-session.ts';
import { allNouns } from './nouns.ts';
import { retentionDuty } from './retention.ts';
import { loadSecretKey } from './secret-key.ts';
import { type CompiledOptions, compileServerOptions, type ServerOptions } from './server-options.ts';
import { SignInLink } from './sign-in-link.ts';

/** The process's side of the server. */
interface ServerIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts to shut the server down. */
  readonly signal: AbortSignal;
  /** Called once, when the server accepts requests. */
  readonly onReady: (ready: ReadyServer) => Promise<void>;
  /** @default JSON lines on standard output */
  readonly logger?: Logger;
  readonly clock?: Clock;
  /** Makes it a server for one person, which watches this cluster itself. The caller closes the client. */
  readonly personal?: PersonalOptions;
}

/** Options of a server for one person. */
interface PersonalOptions {
  readonly client: KubeClient;
  readonly infra: LocalInfra;
  /** How command lines on this machine reach the cluster, for the page to show. */
  readonly terminal?: ClusterTerminal | undefined;
  /** Path to which the browser is redirected after the sign-in. */
  readonly target: string;
  /** Accepted values of the Host header, without ports. */
  readonly hosts: readonly string[];
  /** Called with a link for another browser, which its sign-in page was asked for. */
  readonly onLink: (url: string) => void;
}

/** A running server. */
export interface ReadyServer {
  /** Address for clients on this machine. */
  readonly url: string;
  readonly metricsUrl: string | undefined;
  /** Folder of all data that has to be kept, except a PostgreSQL database. */
  readonly dataFolder: string;
  /** For commands on this machine; undefined on PostgreSQL, whose servers are elsewhere, and while no administrator can sign in. */
  readonly localToken: string | undefined;
  /** For a server for one person: a link that signs one browser in, once. */
  readonly enterUrl: string | undefined;
  /** For a server for one person: what the agent of its cluster connects with. */
  readonly agent: LocalAgent | undefined;
  /** The user that this start has created, if any; the only place with a generated password. */
  readonly administrator?: Administrator;
}

const TLS_OPTIONS = ['--tls-cert', '--tls-key'] as const;

/**
 * Runs the control plane until `signal` aborts, then finishes running requests, disconnects agents and pages, and closes the store.
 *
 * @throws UsageError for settings; StoreUnavailableError and MigrationError for the database; ServeError if it cannot listen
 */
export async function runServer(options: ServerOptions, io: ServerIo): Promise<void> {
  const compiled = compileServerOptions(options, io.env);
  const unlock = 'folder' in compiled.location ? await lockDataFolder(compiled.location.folder) : () => {};
  try {
    await serve(compiled, io);
  } finally {
    unlock();
  }
}

/** The server cannot listen at its address. */
class ServeError extends Error {
  override readonly name = 'ServeError';
}

async function serve(compiled: CompiledOptions, io: ServerIo): Promise<void> {
  const { settings, location, retention } = compiled;
  const { clock = systemClock, logger = createLogger({ component: 'server' }) } = io;
  const secretKey = loadSecretKey(io.env, settings.dataFolder);
  const end = new AbortController();
  const plane = await openControlPlane({
    ...{ location, secretKey, clock, logger },
    settings: io.personal === undefined ? settings : { ...settings, hosts: io.personal.hosts },
    ids: systemIds,
    signal: end.signal,
  });
  let closeMetrics = async (): Promise<void> => {};
  let app: FastifyInstance | undefined;
  let personal: Personal | undefined;
  let unfollow = (): void => {};
  try {
    const tls = compiled.tls && (await CertificateFiles.read({ ...compiled.tls, options: TLS_OPTIONS }));
    personal = io.personal === undefined ? undefined : await startPersonal(plane, io.personal);
    // Another thread hashes its password while this one builds the rest.
    const first = personal === undefined ? ensureAdministrator(plane, io.env) : Promise.resolve(undefined);
    first.catch(() => {});
    const metrics = await startMetrics(plane, compiled.metricsListen);
    closeMetrics = metrics.close;
    app = await buildServer(plane, {
      ...(tls !== undefined && { tls: tls.current }),
      ...(metrics.observe !== undefined && { observe: metrics.observe }),
      ...(personal !== undefined && { cluster: personal.cluster, link: personal.link }),
      ...(io.personal?.terminal !== undefined && { terminal: io.personal.terminal }),
    });
    addHealthRoutes(app, plane.store, () => io.signal.aborted);
    const administrator = await first;
    const url = await listen(app, compiled);
    if (tls !== undefined) {
      // With `https`, Fastify has created a TLS server.
      const server = app.server as unknown as TlsServer;
      const renew = (certificate: Certificate): void => server.setSecureContext(certificate);
      unfollow = followCertificate(tls, { clock, logger, renew });
    }
    const duties = doDuties(plane, plane.store.duties, [
      ...allNouns().flatMap((noun) => noun.duties ?? []),
      retentionDuty(retention),
    ]);
    // On a server for one person the browser uses the session of this machine; opening a second one would end it.
    const hasSession = 'folder' in location && personal === undefined;
    const localToken = hasSession ? await openLocalSession(plane) : undefined;
    const { link } = personal ?? {};
    const enterUrl = link && `${url}${link.renew()}`;
    if (link !== undefined) link.onAsked = (path) => io.personal?.onLink(`${url}${path}`);
    await io.onReady({
      ...{ url, metricsUrl: metrics.url, dataFolder: settings.dataFolder, localToken, enterUrl },
      agent: personal?.agent,
      ...(administrator !== undefined && { administrator }),
    });
    await aborted(io.signal);
    await closeApp(app, end, clock);
    await duties;
  } finally {
    end.abort(new Error('the server ends'));
    unfollow();
    await app?.close();
    await personal?.cluster.stop();
    await closeMetrics();
    await plane.store.close();
  }
}

/** What a server for one person has besides. */
interface Personal {
  readonly cluster: ObservedCluster;
  readonly link: SignInLink;
  readonly agent: LocalAgent;
}

async function startPersonal(
  plane: ControlPlane,
  { client, infra, target }: PersonalOptions,
): Promise<Personal> {
  const { project, username } = await ensureLocalPerson(plane);
  const agent = await ensureLocalInfra(plane, project, infra, username);
  const token = await openLocalSession(plane, plane.settings.sessionSeconds * 1000);
  if (token === undefined) throw new Error('the user of this server was not made');
  const cluster = new ObservedCluster(client, infra.name, plane.clock, plane.logger);
  cluster.start();
  return { cluster, link: new SignInLink(plane.ids, plane.clock, token, target), agent };
}

/** Accepts no more requests, and waits for running ones up to the limit. */
async function closeApp(app: FastifyInstance, end: AbortController, clock: Clock): Promise<void> {
  const giveUp = (): void => end.abort(new Error('the server ends'));
  const cancel = clock.setTimer(END_MS, giveUp, { unref: true });
  try {
    await app.close();
  } finally {
    cancel();
    giveUp();
  }
}

/** @returns the address for clients on this machine. @throws ServeError */
async function listen(app: FastifyInstance, { listen: at, tls }: CompiledOptions): Promise<string> {
  try {
    await app.listen(at);
  } catch (error) {
    const inUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    const why = inUse
      ? 'the port is in use; choose another one with --listen, or stop the program that uses it'
      : messageOf(error);
    throw new ServeError(`cannot listen on ${at.host} port ${at.port}: ${why}`, { cause: error });
  }
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : at.port;
  return urlOf(tls === undefined ? 'http' : 'https', { host: at.host, port });
}

/** Serves metrics if requested, and only then loads the library. */
async function startMetrics(
  plane: ControlPlane,
  at: ListenAddress | undefined,
): Promise<{
  readonly url?: string;
  readonly observe?: (request: ObservedRequest) => void;
  readonly close: () => Promise<void>;
}> {
  if (at === undefined) return { close: async () => {} };
  const { serverMetrics } = await import('./server-metrics.ts');
  const { observe, page } = serverMetrics(plane.store);
  try {
    const server = await startHealthServer({
      ...at,
      pages: { '/metrics': page },
      onServerError: (err) => plane.logger.error({ err }, 'cannot accept a connection for metrics'),
    });
    const url = `${urlOf('http', { host: at.host, port: server.port })}/metrics`;
    return { url, observe, close: () => server.close() };
  } catch (error) {
    throw new ServeError(messageOf(error), { cause: error });
  }
}
