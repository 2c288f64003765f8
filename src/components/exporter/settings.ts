import type { Environment } from '@turnsole/kube/text/environment';
import { dnsLabelProblems } from '@turnsole/kube/text/names';
import { addressFlag, type BindAddress, type FlagValues, textFlag } from '../../process/flags.ts';
import { UsageError } from '../../process/usage-error.ts';
import { type CloudWatchSettings, readCloudWatch } from './cloudwatch/settings.ts';

/** The port of upstream's exporters. */
const METRICS_PORT = 8080;
const HEALTH_PORT = 8081;

export const FLAGS = {
  kubeconfig: textFlag('FILE'),
  'metrics-bind-address': addressFlag({ port: METRICS_PORT }),
  // Health is served beside the metrics in any case; a port of its own is for probes of metrics that are served by TLS.
  'health-probe-bind-address': { ...addressFlag({ port: HEALTH_PORT }), absent: undefined },
  'tls-cert-file': textFlag('FILE'),
  'tls-private-key-file': textFlag('FILE'),
};

/** Settings for the metrics of one engine. */
interface EngineScope {
  /** Name of the engine whose metrics are shown. */
  readonly engine: string;
  /** Empty: that of the exporter's own pod. */
  readonly namespace: string;
  readonly appUid: string;
}

/** The exporter's settings, from its command line and environment. */
export interface ExporterSettings {
  readonly metricsAddress: BindAddress;
  /** Undefined: beside the metrics only. */
  readonly healthAddress: BindAddress | undefined;
  /** Files of certificate and key; undefined: plain HTTP. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  /** How long a verdict is shown as 1. */
  readonly verdictIntervalMs: number;
  /** One engine; undefined: the results of `watchNamespace`. */
  readonly engine: EngineScope | undefined;
  /** Empty: all namespaces. */
  readonly watchNamespace: string;
  /** Undefined: nothing is pushed. */
  readonly cloudWatch: CloudWatchSettings | undefined;
}

/** Seconds that a verdict is shown as 1 by default. */
const DEFAULT_INTERVAL_SECONDS = 10;

/**
 * Reads flags and environment: CHAOSENGINE, CHAOS_NAMESPACE, APP_UUID for one engine; else WATCH_NAMESPACE; TSDB_SCRAPE_INTERVAL; those of
 * CloudWatch. Pure.
 *
 * @throws UsageError naming the flag or variable
 */
export function readExporterSettings(flags: FlagValues<typeof FLAGS>, env: Environment): ExporterSettings {
  const metricsAddress = flags['metrics-bind-address'];
  if (metricsAddress === undefined) {
    throw new UsageError('flag -metrics-bind-address: an exporter without an address would serve nothing');
  }
  return {
    metricsAddress,
    healthAddress: flags['health-probe-bind-address'],
    tls: readTls(flags),
    verdictIntervalMs: readInterval(env) * 1000,
    engine: readEngine(env),
    watchNamespace: readWatchNamespace(env),
    cloudWatch: readCloudWatch(env),
  };
}

function readEngine(env: Environment): EngineScope | undefined {
  const engine = wordOf(env, 'CHAOSENGINE');
  if (engine === '') {
    if (env.CHAOSENGINE === undefined) return undefined;
    // A user who sets it means one engine, and an empty value would show all of them.
    throw new UsageError(
      'environment variable CHAOSENGINE is empty; set it to the name of the ChaosEngine whose metrics are to be shown, ' +
        'or leave it out for those of WATCH_NAMESPACE',
    );
  }
  return { engine, namespace: wordOf(env, 'CHAOS_NAMESPACE'), appUid: wordOf(env, 'APP_UUID') };
}

function readWatchNamespace(env: Environment): string {
  const namespace = wordOf(env, 'WATCH_NAMESPACE');
  if (namespace === '') return '';
  const [problem] = dnsLabelProblems(namespace);
  if (problem === undefined) return namespace;
  throw new UsageError(
    `environment variable WATCH_NAMESPACE: ${JSON.stringify(namespace)} is no name of a namespace: ${problem}`,
  );
}

function readInterval(env: Environment): number {
  const interval = wordOf(env, 'TSDB_SCRAPE_INTERVAL');
  const seconds = interval === '' ? DEFAULT_INTERVAL_SECONDS : Number(interval);
  if (Number.isInteger(seconds) && seconds >= 0) return seconds;
  throw new UsageError(
    `environment variable TSDB_SCRAPE_INTERVAL: ${JSON.stringify(interval)} must be a whole number of seconds`,
  );
}

function readTls(flags: FlagValues<typeof FLAGS>): ExporterSettings['tls'] {
  const { 'tls-cert-file': certFile, 'tls-private-key-file': keyFile } = flags;
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  if (certFile === undefined && keyFile === undefined) return undefined;
  const [given, lacking] =
    certFile === undefined
      ? ['-tls-private-key-file', '-tls-cert-file']
      : ['-tls-cert-file', '-tls-private-key-file'];
  throw new UsageError(`flag ${given} needs ${lacking} beside it`);
}

function wordOf(env: Environment, name: string): string {
  return (env[name] ?? '').trim();
}
