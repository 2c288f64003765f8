import { ownImageOf } from '../../chaos/own-image.ts';
import { addressFlag, type BindAddress, type FlagValues, SWITCH, textFlag } from '../../process/flags.ts';
import { createMetrics } from '../../process/metrics.ts';
import { UsageError } from '../../process/usage-error.ts';
import type { Environment } from '../../text/environment.ts';
import { otelHandedOn } from '../../text/otel-variables.ts';
import { type EnvironmentSettings, readEnvironment } from './configuration/environment.ts';
import { DEFAULT_CONFIG_MAP } from './configuration/followed-configuration.ts';
import { WorkflowMetrics } from './metrics/workflow-metrics.ts';
import { defaultSettings, type WorkflowSettings } from './settings.ts';

/** Where metrics are served when neither flag nor configuration sets it. */
const DEFAULT_METRICS: BindAddress = { port: 9090 };

/** Flags as those of Argo's controller, and of our other components. */
export const FLAGS = {
  kubeconfig: textFlag('FILE'),
  namespaced: SWITCH,
  'managed-namespace': textFlag('NAMESPACE'),
  instanceid: textFlag('ID'),
  configmap: textFlag('NAME'),
  'workflow-workers': textFlag('N'),
  'workflow-ttl-workers': textFlag('N'),
  'pod-cleanup-workers': textFlag('N'),
  'cron-workflow-workers': textFlag('N'),
  'executor-image': textFlag('IMAGE'),
  'executor-image-pull-policy': textFlag('POLICY'),
  'leader-elect': SWITCH,
  'metrics-bind-address': addressFlag(DEFAULT_METRICS),
  'health-probe-bind-address': addressFlag({ port: 6060 }),
  // Of Argo's controller, for deployments that name them; they change nothing.
  'container-runtime-executor': textFlag('NAME'),
  'workflow-archive-workers': textFlag('N'),
  qps: textFlag('N'),
  burst: textFlag('N'),
  loglevel: textFlag('LEVEL'),
  gloglevel: textFlag('LEVEL'),
  'log-format': textFlag('FORMAT'),
};

/** Flags that change nothing, and why; logged where they are given. */
const WITHOUT_EFFECT = {
  'container-runtime-executor': 'pods work alike with every container runtime',
  'workflow-archive-workers': 'there is no archive',
  qps: 'requests are not limited by rate',
  burst: 'requests are not limited by rate',
  loglevel: 'lines of all levels from info on are logged',
  gloglevel: 'lines of all levels from info on are logged',
  'log-format': 'lines are JSON',
} as const satisfies Partial<Record<keyof typeof FLAGS, string>>;

/** Settings of the program in a pod. */
export interface ComponentSettings {
  readonly leaderElect: boolean;
  /** Address of /metrics; undefined when switched off with `0`. */
  readonly metricsAddress: BindAddress | undefined;
  /** Whether a flag says where: it wins over the configuration. */
  readonly hasMetricsFlag: boolean;
  /** Address of /healthz and /readyz; undefined when switched off with `0`. */
  readonly healthAddress: BindAddress | undefined;
  /** Whether it runs the workflows of one namespace only: that of `managedNamespace`, else its own. */
  readonly isNamespaced: boolean;
  readonly managedNamespace: string;
  readonly instanceId: string;
  readonly configMap: string;
  readonly workers: WorkerCounts;
  readonly environment: EnvironmentSettings;
  /** Flags that were given and change nothing: name, and why. */
  readonly withoutEffect: readonly (readonly [name: string, why: string])[];
  readonly workflows: WorkflowSettings;
  readonly workflowMetrics: WorkflowMetrics;
}

/** Keys that are worked on at the same time; absent: the default. */
export interface WorkerCounts {
  readonly workflows?: number;
  readonly ttl?: number;
  readonly pods?: number;
  readonly crons?: number;
}

/** Image of helper containers where the settings name none. */
const DEFAULT_IMAGE = 'turnsole';

/** Reads flags and environment. @throws UsageError */
export function readComponentSettings(flags: FlagValues<typeof FLAGS>, env: Environment): ComponentSettings {
  const own = ownImageOf(env);
  const image = flags['executor-image'] ?? own?.name ?? DEFAULT_IMAGE;
  const pullPolicy = flags['executor-image-pull-policy'] ?? own?.pullPolicy;
  const settings = defaultSettings(image);
  const environment = readEnvironment(env);
  const metricsAddress = flags['metrics-bind-address'];
  return {
    leaderElect: flags['leader-elect'] && !environment.withoutElection,
    metricsAddress,
    hasMetricsFlag: metricsAddress !== DEFAULT_METRICS,
    healthAddress: flags['health-probe-bind-address'],
    isNamespaced: flags.namespaced || flags['managed-namespace'] !== undefined,
    managedNamespace: flags['managed-namespace'] ?? '',
    instanceId: flags.instanceid ?? '',
    configMap: flags.configmap ?? DEFAULT_CONFIG_MAP,
    workers: {
      workflows: workersOf(flags, 'workflow-workers'),
      ttl: workersOf(flags, 'workflow-ttl-workers'),
      pods: workersOf(flags, 'pod-cleanup-workers'),
      crons: workersOf(flags, 'cron-workflow-workers'),
    },
    environment,
    withoutEffect: [
      ...Object.entries(WITHOUT_EFFECT)
        .filter(([name]) => flags[name as keyof typeof WITHOUT_EFFECT] !== undefined)
        .map(([name, why]) => [`-${name}`, why] as const),
      ...environment.withoutEffect,
    ],
    workflows: {
      ...settings,
      ...(environment.podNames !== undefined && { podNames: environment.podNames }),
      withoutEstimates: environment.withoutEstimates,
      pods: {
        ...settings.pods,
        otel: otelHandedOn(env),
        helper: { ...settings.pods.helper, ...(pullPolicy !== undefined && { imagePullPolicy: pullPolicy }) },
      },
    },
    workflowMetrics: new WorkflowMetrics(createMetrics()),
  };
}

function workersOf(
  flags: FlagValues<typeof FLAGS>,
  flag: 'workflow-workers' | 'workflow-ttl-workers' | 'pod-cleanup-workers' | 'cron-workflow-workers',
): number | undefined {
  const text = flags[flag];
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(text))
    throw new UsageError(`flag -${flag}: ${JSON.stringify(text)} is no number of workers`);
  return Number(text);
}
