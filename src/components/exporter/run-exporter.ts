import type { Clock } from '@turnsole/kube/base/clock';
import type { Logger } from '@turnsole/kube/base/log';
import type { HttpServer } from '@turnsole/kube/serve/server';
import type { Environment } from '@turnsole/kube/text/environment';
import { messageOf } from '@turnsole/kube/text/error-message';
import { type ComponentContext, type ComponentIo, runComponent } from '../../process/component.ts';
import { CertificateFiles } from '../../process/http/certificate-files.ts';
import { startHealthServer } from '../../process/http/health.ts';
import { aborted } from '../../process/signals.ts';
import { EngineExporter } from './engine-exporter.ts';
import type { Page } from './page.ts';
import { ScopeExporter } from './scope/scope-exporter.ts';
import { type ExporterSettings, FLAGS, readExporterSettings } from './settings.ts';

const TLS_FLAGS = ['-tls-cert-file', '-tls-private-key-file'] as const;

/** What the process gives the exporter; tests give their own. */
interface ExporterIo extends ComponentIo {
  /** Version of this program, for the build info. */
  readonly version?: string;
  readonly onListening?: (port: number) => void;
}

/** Where the figures come from: one engine, or a namespace or cluster. */
interface Source {
  readonly page: () => Promise<Page>;
  /** Throws what keeps it from giving a page. */
  readonly checkReady: () => void;
  readonly stop: () => Promise<void>;
  /** What it shows, for the log. */
  readonly scope: Readonly<Record<string, string>>;
}

/**
 * Entry point of `turnsole exporter`: serves the metrics of one engine, a namespace or a cluster on port 8080, path /metrics, until it
 * is stopped.
 *
 * @returns exit code: 0 stopped, 1 failed, 2 wrong command line or environment
 */
export function runExporter(argv: readonly string[], env: Environment, io: ExporterIo = {}): Promise<number> {
  const exporter = {
    name: 'exporter',
    flags: FLAGS,
    settings: readExporterSettings,
    serve: (context: ComponentContext<ExporterSettings>) => serve(context, io),
  };
  return runComponent(exporter, argv, env, io);
}

async function serve(context: ComponentContext<ExporterSettings>, io: ExporterIo): Promise<void> {
  const { settings, logger, signal } = context;
  const certificate = settings.tls && (await CertificateFiles.read({ ...settings.tls, options: TLS_FLAGS }));
  const source = settings.engine === undefined ? await scopeSource(context, io) : engineSource(context);
  const servers: HttpServer[] = [];
  try {
    const server = await startServer(context, source, certificate);
    servers.push(server);
    if (settings.healthAddress !== undefined) {
      const health = { ...settings.healthAddress, checks: checksOf(source), ...reportingTo(logger) };
      servers.push(await startHealthServer(health));
    }
    logger.info({ ...source.scope, port: server.port }, 'exporter started');
    io.onListening?.(server.port);
    await aborted(signal);
  } finally {
    await Promise.all(servers.map((one) => one.close()));
    await source.stop();
  }
}

async function startServer(
  { settings, logger, clock }: ComponentContext<ExporterSettings>,
  source: Source,
  certificate: CertificateFiles | undefined,
): Promise<HttpServer> {
  const page = async (): Promise<Page> => {
    // The two small files are read again at each scrape, which is simpler than a correct watch on links that the kubelet exchanges. While
    // only one of them is new, reading fails, the old pair stays, and the next scrape tries again.
    const renewed = await certificate?.renewed(clock.now()).catch(() => undefined);
    if (renewed !== undefined) server.renew(renewed);
    try {
      return await source.page();
    } catch (err) {
      logger.warn({ detail: messageOf(err) }, 'cannot give a page');
      throw err;
    }
  };
  const server = await startHealthServer({
    ...settings.metricsAddress,
    certificate: certificate?.current,
    checks: checksOf(source),
    pages: { '/metrics': page },
    ...reportingTo(logger),
  });
  return server;
}

function reportingTo(logger: Logger): { readonly onServerError: (error: Error) => void } {
  return { onServerError: (err) => logger.error({ err }, 'cannot accept a connection') };
}

function checksOf({ checkReady }: Source) {
  return [
    { name: 'ping', kind: 'healthz', check: () => {} },
    { name: 'first-lists', kind: 'readyz', check: checkReady },
  ] as const;
}

function engineSource({
  client,
  clock,
  namespace,
  settings,
  signal,
}: ComponentContext<ExporterSettings>): Source {
  const { engine: name = '', namespace: of = '', appUid = '' } = settings.engine ?? {};
  const engine = { name, namespace: of || namespace };
  const { verdictIntervalMs } = settings;
  const exporter = new EngineExporter({
    client,
    clock,
    engine,
    settings: { appUid, verdictIntervalMs },
    signal,
  });
  return {
    page: () => exporter.page(),
    checkReady: () => {},
    stop: async () => {},
    scope: { engine: `${engine.namespace}/${engine.name}` },
  };
}

async function scopeSource(
  { client, clock, logger, settings }: ComponentContext<ExporterSettings>,
  { version = '' }: ExporterIo,
): Promise<Source> {
  const { watchNamespace: namespace, verdictIntervalMs } = settings;
  const exporter = new ScopeExporter({ client, clock, logger, namespace, verdictIntervalMs, version });
  const push = await startPush(settings.cloudWatch, { source: exporter, clock, logger });
  exporter.start();
  return {
    page: () => exporter.page(),
    checkReady: () => exporter.checkReady(),
    stop: async () => {
      await push.stop();
      await exporter.stop();
    },
    scope: { namespace: namespace === '' ? 'all' : namespace },
  };
}

/** Pushes to CloudWatch when the settings ask for it; otherwise its code is not even loaded. */
async function startPush(
  settings: ExporterSettings['cloudWatch'],
  parts: { readonly source: ScopeExporter; readonly clock: Clock; readonly logger: Logger },
): Promise<{ readonly stop: () => Promise<void> }> {
  if (settings === undefined) return { stop: async () => {} };
  const { CloudWatchPusher } = await import('./cloudwatch/pusher.ts');
  const pusher = new CloudWatchPusher({ settings, ...parts });
  const ended = pusher.run();
  return { stop: () => pusher.stop().then(() => ended) };
}
