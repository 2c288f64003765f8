import { UsageError } from '../../process/usage-error.ts';

/** The exporter's settings, from its command line and environment. */
export interface ExporterSettings {
  /** Name of the engine whose metrics are shown. */
  readonly engine: string;
  /** Empty: that of the exporter's own pod. */
  readonly namespace: string;
  readonly appUid: string;
  /** How long a verdict is shown as 1. */
  readonly verdictIntervalMs: number;
}

/** Seconds that a verdict is shown as 1, where nothing else is said. */
const DEFAULT_INTERVAL_SECONDS = 10;

/**
 * Reads the environment: CHAOSENGINE, CHAOS_NAMESPACE, APP_UUID, TSDB_SCRAPE_INTERVAL. Pure.
 *
 * @throws UsageError naming the variable
 */
export function readExporterSettings(env: Readonly<Record<string, string | undefined>>): ExporterSettings {
  const engine = (env.CHAOSENGINE ?? '').trim();
  if (engine === '') {
    throw new UsageError(
      'environment variable CHAOSENGINE is not set; set it to the name of the ChaosEngine whose metrics are to be shown',
    );
  }
  const interval = (env.TSDB_SCRAPE_INTERVAL ?? '').trim();
  const seconds = interval === '' ? DEFAULT_INTERVAL_SECONDS : Number(interval);
  if (!Number.isInteger(seconds) || seconds < 0) {
    throw new UsageError(
      `environment variable TSDB_SCRAPE_INTERVAL: ${JSON.stringify(interval)} must be a whole number of seconds`,
    );
  }
  return {
    engine,
    namespace: (env.CHAOS_NAMESPACE ?? '').trim(),
    appUid: (env.APP_UUID ?? '').trim(),
    verdictIntervalMs: seconds * 1000,
  };
}
