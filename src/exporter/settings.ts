import { parseArgs } from 'node:util';

/** What the exporter is told by its command line and environment. */
export interface ExporterSettings {
  /** Name of the engine whose metrics are shown. */
  readonly engine: string;
  readonly namespace: string;
  readonly appUid: string;
  /** How long a verdict is shown as 1. */
  readonly verdictIntervalMs: number;
}

/** The command line or environment of the exporter is wrong. */
export class ExporterUsageError extends Error {
  override readonly name = 'ExporterUsageError';
}

/** Seconds that a verdict is shown as 1, where nothing else is said. */
const DEFAULT_INTERVAL_SECONDS = 10;

/** `-kubeconfig FILE`, with one dash or two; undefined in a pod. Pure. @throws ExporterUsageError */
export function parseExporterFlags(argv: readonly string[]): string | undefined {
  // Go's flag package takes one dash for long names, Node's parser two.
  const args = argv.map((argument) => argument.replace(/^-(?=[a-z]{2,})/, '--'));
  try {
    return parseArgs({ args, options: { kubeconfig: { type: 'string' } }, strict: true }).values.kubeconfig;
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new ExporterUsageError(`${detail}; usage: turnsole exporter [-kubeconfig FILE]`, { cause });
  }
}

/**
 * Reads the environment: CHAOSENGINE, CHAOS_NAMESPACE, APP_UUID, TSDB_SCRAPE_INTERVAL. Pure.
 *
 * @param home namespace of the pod, where CHAOS_NAMESPACE names none
 * @throws ExporterUsageError naming the variable
 */
export function readExporterSettings(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): ExporterSettings {
  const engine = (env.CHAOSENGINE ?? '').trim();
  if (engine === '') {
    throw new ExporterUsageError(
      'environment variable CHAOSENGINE is not set; set it to the name of the ChaosEngine whose metrics are to be shown',
    );
  }
  const interval = (env.TSDB_SCRAPE_INTERVAL ?? '').trim();
  const seconds = interval === '' ? DEFAULT_INTERVAL_SECONDS : Number(interval);
  if (!Number.isInteger(seconds) || seconds < 0) {
    throw new ExporterUsageError(
      `environment variable TSDB_SCRAPE_INTERVAL: ${JSON.stringify(interval)} must be a whole number of seconds`,
    );
  }
  return {
    engine,
    namespace: (env.CHAOS_NAMESPACE ?? '').trim() || home,
    appUid: (env.APP_UUID ?? '').trim(),
    verdictIntervalMs: seconds * 1000,
  };
}
