import { createClient } from '../kube/client/client.ts';
import { loadInClusterConfig } from '../kube/client/config/in-cluster.ts';
import { loadKubeconfig } from '../kube/client/config/kubeconfig.ts';
import type { ClusterConfig } from '../kube/client/types.ts';
import { type Clock, systemClock } from '../kube/runtime/clock.ts';
import { startHealthServer } from '../kube/runtime/health.ts';
import { createLogger, type Logger } from '../kube/runtime/log.ts';
import { terminationSignal } from '../kube/runtime/termination-signal.ts';
import { EngineExporter } from './engine-exporter.ts';
import { ExporterUsageError, parseExporterFlags, readExporterSettings } from './settings.ts';

const METRICS_PORT = 8080;

/** What the process gives the exporter; tests give their own. */
export interface ExporterIo {
  /** @default that of -kubeconfig, else of the pod */
  readonly config?: ClusterConfig;
  readonly clock?: Clock;
  readonly logger?: Logger;
  /** @default aborted on SIGTERM and SIGINT */
  readonly signal?: AbortSignal;
  /** @default 8080 */
  readonly port?: number;
  readonly onListening?: (port: number) => void;
}

/**
 * Entry point of `turnsole exporter`: serves the metrics of one engine on port 8080, path /metrics, until it is stopped.
 *
 * @returns exit code: 0 stopped, 1 failed, 2 wrong command line or environment
 */
export async function runExporter(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  io: ExporterIo = {},
): Promise<number> {
  const logger = io.logger ?? createLogger({ component: 'exporter' });
  const signal = io.signal ?? terminationSignal();
  try {
    await serve(argv, env, io, logger, signal);
    return 0;
  } catch (err) {
    if (signal.aborted) return 0;
    if (err instanceof ExporterUsageError) {
      logger.error({ detail: err.message }, 'exporter cannot start');
      return 2;
    }
    logger.error({ err }, 'exporter failed');
    return 1;
  }
}

async function serve(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  io: ExporterIo,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const path = parseExporterFlags(argv);
  const config =
    io.config ?? (path === undefined ? await loadInClusterConfig(env) : await loadKubeconfig({ path, env }));
  const settings = readExporterSettings(env, config.namespace);
  const client = createClient(config);
  try {
    const exporter = new EngineExporter({ client, clock: io.clock ?? systemClock, settings, signal });
    const page = async (): Promise<Awaited<ReturnType<EngineExporter['page']>>> => {
      try {
        return await exporter.page();
      } catch (err) {
        logger.warn({ err }, 'cannot read the engine');
        throw err;
      }
    };
    const server = await startHealthServer({ port: io.port ?? METRICS_PORT, pages: { '/metrics': page } });
    logger.info(
      { engine: `${settings.namespace}/${settings.engine}`, port: server.port },
      'exporter started',
    );
    io.onListening?.(server.port);
    await aborted(signal);
    await server.close();
  } finally {
    client.close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
