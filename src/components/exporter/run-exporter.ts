import { type ComponentContext, type ComponentIo, runComponent } from '../../process/component.ts';
import { textFlag } from '../../process/flags.ts';
import { startHealthServer } from '../../process/http/health.ts';
import { aborted } from '../../process/signals.ts';
import type { Environment } from '../../text/environment.ts';
import { EngineExporter, type Page } from './engine-exporter.ts';
import { type ExporterSettings, readExporterSettings } from './settings.ts';

const METRICS_PORT = 8080;

/** What the process gives the exporter; tests give their own. */
interface ExporterIo extends ComponentIo {
  /** @default 8080 */
  readonly port?: number;
  readonly onListening?: (port: number) => void;
}

/**
 * Entry point of `turnsole exporter`: serves the metrics of one engine on port 8080, path /metrics, until it is stopped.
 *
 * @returns exit code: 0 stopped, 1 failed, 2 wrong command line or environment
 */
export function runExporter(argv: readonly string[], env: Environment, io: ExporterIo = {}): Promise<number> {
  const exporter = {
    name: 'exporter',
    flags: { kubeconfig: textFlag('FILE') },
    settings: () => readExporterSettings(env),
    serve: (context: ComponentContext<ExporterSettings>) => serve(context, io),
  };
  return runComponent(exporter, argv, env, io);
}

async function serve(
  { client, clock, logger, namespace, settings, signal }: ComponentContext<ExporterSettings>,
  io: ExporterIo,
): Promise<void> {
  const engine = { name: settings.engine, namespace: settings.namespace || namespace };
  const exporter = new EngineExporter({ client, clock, engine, settings, signal });
  const page = async (): Promise<Page> => {
    try {
      return await exporter.page();
    } catch (err) {
      logger.warn({ err }, 'cannot read the engine');
      throw err;
    }
  };
  const server = await startHealthServer({ port: io.port ?? METRICS_PORT, pages: { '/metrics': page } });
  logger.info({ engine: `${engine.namespace}/${engine.name}`, port: server.port }, 'exporter started');
  io.onListening?.(server.port);
  await aborted(signal);
  await server.close();
}
