import type { Environment } from '@turnsole/kube/text/environment';
import { CONTROLLER_CONFIG_MAP } from '@turnsole/workflows/kinds/controller-names';
import { isKnownImage, knownImagesOf } from '../../chaos/known-images.ts';
import { type OwnImage, ownImageOf } from '../../chaos/own-image.ts';
import { nodeTraceEnv } from '../../chaos/spans/workflow-trace.ts';
import { addressFlag, type BindAddress, type FlagValues, SWITCH, textFlag } from '../../process/flags.ts';
import { createMetrics } from '../../process/metrics.ts';
import { UsageError } from '../../process/usage-error.ts';
import { type EnvironmentSettings, readEnvironment } from './configuration/environment.ts';
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
  'executor-plugins': SWITCH,
  'workflow-level-executor-plugins': SWITCH,
};

/** Flags that change nothing, and why. */
export const FLAGS_WITHOUT_EFFECT = {
  'container-runtime-executor': 'pods work alike with every container runtime',
  'workflow-archive-workers': 'there is no archive',
  qps: 'requests are not limited by rate',
  burst: 'requests are not limited by rate',
  loglevel: 'lines of all levels from info on are logged',
  gloglevel: 'lines of all levels from info on are logged',
  'log-format': 'lines are JSON',
  'executor-plugins': 'plugins are servers that the configuration names under `plugins`',
  'workflow-level-executor-plugins': 'plugins are servers that the configuration names under `plugins`',
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
  /** What was given and changes nothing, beside {@link FLAGS_WITHOUT_EFFECT}: name, and why. */
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
  const helper = helperImage(flags['executor-image'], own, knownImagesOf(env));
  const pullPolicy = flags['executor-image-pull-policy'] ?? own?.pullPolicy;
  const settings = defaultSettings(helper.image);
  const environment = readEnvironment(env);
  const metricsAddress = flags['metrics-bind-address'];
  return {
    // Argo's manifest asks for an election by naming the candidate, and has no flag for it.
    leaderElect: (flags['leader-elect'] || environment.isCandidate) && !environment.withoutElection,
    metricsAddress,
    hasMetricsFlag: metricsAddress !== DEFAULT_METRICS,
    healthAddress: flags['health-probe-bind-address'],
    isNamespaced: flags.namespaced || flags['managed-namespace'] !== undefined,
    managedNamespace: flags['managed-namespace'] ?? '',
    instanceId: flags.instanceid ?? '',
    configMap: flags.configmap ?? CONTROLLER_CONFIG_MAP,
    workers: {
      workflows: workersOf(flags, 'workflow-workers'),
      ttl: workersOf(flags, 'workflow-ttl-workers'),
      pods: workersOf(flags, 'pod-cleanup-workers'),
      crons: workersOf(flags, 'cron-workflow-workers'),
    },
    environment,
    withoutEffect: [...(helper.note === undefined ? [] : [helper.note]), ...environment.withoutEffect],
    workflows: {
      ...settings,
      ...(environment.podNames !== undefined && { podNames: environment.podNames }),
      withoutEstimates: environment.withoutEstimates,
      pods: {
        ...settings.pods,
        env: (workflow, node) => nodeTraceEnv(workflow, node, env),
        helper: { ...settings.pods.helper, ...(pullPolicy !== undefined && { imagePullPolicy: pullPolicy }) },
      },
    },
    workflowMetrics: new WorkflowMetrics(createMetrics()),
  };
}

/**
 * The image of helper containers. Argo's own executor cannot be it, as it has not our programs; manifests whose controller's image alone was
 * exchanged still name it. Pure.
 *
 * @param known images that are known to be Turnsole's whatever they are called, as on the embedded cluster
 * @throws UsageError when Argo's is asked for and there is no other to take its place
 */
export function helperImage(
  asked: string | undefined,
  own: OwnImage | undefined,
  known: readonly string[],
): { readonly image: string; readonly note?: readonly [name: string, why: string] } {
  if (asked === undefined) return { image: own?.name ?? DEFAULT_IMAGE };
  if (!ARGO_EXECUTOR.test(asked) || isKnownImage(asked, known)) return { image: asked };
  if (own !== undefined)
    return {
      image: own.name,
      note: ['-executor-image', `${asked} is Argo's program; ${own.name} has those of this controller`],
    };
  throw new UsageError(
    `flag -executor-image: ${asked} is Argo's program, which cannot do the work of this controller's; name Turnsole's image, here or in ` +
      'TURNSOLE_IMAGE',
  );
}

const ARGO_EXECUTOR = /(?:^|\/)(?:argoproj|litmuschaos)\/argoexec(?:[:@]|$)/;

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
