import { dnsLabelProblems, labelValueProblems } from '@turnsole/kube/text/names';
import { readTraceSettings } from '../../process/traces/settings.ts';
import { OTLP_ENDPOINT } from '../../tracing/otel-variables.ts';
import {
  type ControlPlaneOptions,
  type ControlPlaneSettings,
  controlPlaneProblems,
  controlPlaneSettings,
} from './control-plane-settings.ts';
import type { PlatformValues } from './platform-values.ts';

/** How Turnsole is to stand in a cluster; everything decided. */
export interface InstallSettings {
  /** Namespace of the components. */
  readonly namespace: string;
  readonly image: string;
  readonly pullPolicy: 'Always' | 'IfNotPresent' | 'Never';
  /** Secrets of the components' and faults' namespaces that hold credentials of the image's registry. */
  readonly pullSecrets: readonly string[];
  /** The only namespace the operator works in; undefined means all. */
  readonly watchNamespace: string | undefined;
  readonly replicas: number;
  readonly leaderElect: boolean;
  readonly priorityClass: string | undefined;
  readonly webhook: boolean;
  /** Whether the workflow controller is installed. */
  readonly workflows: boolean;
  /** Whether the agent of a control plane is installed. */
  readonly subscriber: boolean;
  /** Undefined: this cluster gets no control plane. */
  readonly controlPlane: ControlPlaneSettings | undefined;
  /** Whether chaos is started when workloads change. */
  readonly eventTracker: boolean;
  /** Collector that operator and workflow controller send traces to; undefined: they send none. */
  readonly otlpEndpoint: string | undefined;
  /** Whether the exporter of results is installed. */
  readonly exporter: boolean;
  /** Whether to make ServiceMonitor and PrometheusRule for Prometheus' operator. */
  readonly serviceMonitor: boolean;
  /** It runs the workflows with this instance id; undefined: those without one. */
  readonly instanceId: string | undefined;
  /** Names of the faults that get a ChaosExperiment and a service account. */
  readonly faults: readonly string[];
  /** Namespaces of engines: there the faults' ChaosExperiments and service accounts are made. */
  readonly faultNamespaces: readonly string[];
  /** Whether faults may act in every namespace, or in that of their engine only. */
  readonly faultScope: 'namespaced' | 'cluster';
  /** Where and how the components' pods run, and what all objects carry. */
  readonly platform: PlatformValues;
}

/** What the command line says; see `turnsole install --help`. */
export interface InstallOptions extends ControlPlaneOptions {
  readonly namespace?: string;
  readonly image?: string;
  readonly imagePullPolicy?: InstallSettings['pullPolicy'];
  readonly imagePullSecret?: readonly string[];
  readonly watchNamespace?: string;
  readonly replicas?: number;
  readonly leaderElect?: boolean;
  readonly priorityClass?: string;
  readonly webhook?: boolean;
  /** Absent: installed unless another workflow controller is there. */
  readonly workflows?: boolean;
  readonly subscriber?: boolean;
  readonly eventTracker?: boolean;
  readonly otlpEndpoint?: string;
  readonly exporter?: boolean;
  readonly serviceMonitor?: boolean;
  readonly instanceId?: string;
  readonly faults?: readonly string[];
  readonly faultNamespace?: readonly string[];
  readonly faultScope?: InstallSettings['faultScope'];
  readonly platform?: PlatformValues;
}

/** The label of each component that is there only when it is asked for. */
const COMPONENTS = {
  webhook: 'webhook',
  workflows: 'workflow-controller',
  subscriber: 'subscriber',
  controlPlane: 'server',
  eventTracker: 'event-tracker',
  exporter: 'exporter',
} as const satisfies Partial<Record<keyof InstallOptions, string>>;

/** Labels of the components that the options say are not wanted; those of which they say nothing are left as they are. Pure. */
export function unwantedComponents(options: InstallOptions): string[] {
  return Object.entries(COMPONENTS).flatMap(([option, component]) =>
    // The keys are those of the table above.
    options[option as keyof typeof COMPONENTS] === false ? [component] : [],
  );
}

/** Default namespace of the components, as in upstream's manifests. */
const DEFAULT_NAMESPACE = 'litmus';

/** Name of the image without its version. */
export const IMAGE_REPOSITORY = 'turnsole/turnsole';

/** An option and its problem, as a sentence. */
interface OptionProblem {
  readonly option: string;
  readonly message: string;
}

/** Puts defaults in and finds every problem. Pure. */
export function compileInstallSettings(
  options: InstallOptions,
  known: {
    readonly version: string;
    readonly faults: readonly string[];
    /** Those that Turnsole's image has: what `all` means. @default all that are known */
    readonly ofTurnsole?: readonly string[];
  },
): { readonly settings: InstallSettings; readonly problems: readonly OptionProblem[] } {
  const namespace = options.namespace ?? DEFAULT_NAMESPACE;
  const replicas = options.replicas ?? 1;
  const all = known.ofTurnsole ?? known.faults;
  const asked = (options.faults ?? []).flatMap((name) => (name === 'all' ? all.toSorted() : [name]));
  const settings: InstallSettings = {
    namespace,
    image: options.image ?? `${IMAGE_REPOSITORY}:${known.version}`,
    pullPolicy: options.imagePullPolicy ?? 'IfNotPresent',
    pullSecrets: options.imagePullSecret ?? [],
    watchNamespace: options.watchNamespace,
    replicas,
    leaderElect: options.leaderElect ?? replicas > 1,
    priorityClass: options.priorityClass,
    webhook: options.webhook ?? false,
    workflows: options.workflows ?? true,
    subscriber: options.subscriber ?? false,
    controlPlane: controlPlaneSettings(options),
    eventTracker: options.eventTracker ?? false,
    otlpEndpoint: options.otlpEndpoint,
    exporter: options.exporter ?? false,
    serviceMonitor: options.serviceMonitor ?? false,
    instanceId: options.instanceId,
    faults: [...new Set(asked)],
    faultNamespaces: [...new Set(options.faultNamespace ?? [options.watchNamespace ?? namespace])],
    faultScope: options.faultScope ?? 'namespaced',
    platform: options.platform ?? {},
  };
  return { settings, problems: [...problemsOf(settings, known.faults), ...controlPlaneProblems(options)] };
}

function problemsOf(settings: InstallSettings, known: readonly string[]): OptionProblem[] {
  const problems: OptionProblem[] = [];
  const named: readonly (readonly [string, string | undefined])[] = [
    ['--namespace', settings.namespace],
    ['--watch-namespace', settings.watchNamespace],
    ...settings.faultNamespaces
      .filter((name) => name !== settings.namespace && name !== settings.watchNamespace)
      .map((name) => ['--fault-namespace', name] as const),
  ];
  for (const [option, name] of named) {
    if (name === undefined || dnsLabelProblems(name).length === 0) continue;
    const expected = 'expected the name of a namespace: lower-case letters, digits and dashes, at most 63';
    problems.push({ option, message: `${JSON.stringify(name)}: ${expected}` });
  }
  if (settings.image === '' || /\s/.test(settings.image)) {
    problems.push({ option: '--image', message: `${JSON.stringify(settings.image)} is no name of an image` });
  }
  if (settings.replicas > 1 && !settings.leaderElect) {
    const message = `${settings.replicas} operators without leader election would all act; leave out --no-leader-elect`;
    problems.push({ option: '--replicas', message });
  }
  const { instanceId, otlpEndpoint } = settings;
  const traces =
    otlpEndpoint === undefined ? undefined : readTraceSettings({ [OTLP_ENDPOINT]: otlpEndpoint });
  if (traces !== undefined && traces.kind !== 'on')
    problems.push({
      option: '--otlp-endpoint',
      message: `${JSON.stringify(otlpEndpoint)}: expected HOST:PORT or a URL with http or https`,
    });
  if (instanceId !== undefined && (instanceId === '' || labelValueProblems(instanceId).length > 0)) {
    const expected = 'expected letters, digits, dashes, dots and underscores, at most 63: it becomes a label';
    problems.push({ option: '--instance-id', message: `${JSON.stringify(instanceId)}: ${expected}` });
  }
  if (instanceId !== undefined && !settings.workflows) {
    problems.push({
      option: '--instance-id',
      message: 'it is of the workflow controller; leave out --no-workflows',
    });
  }
  if (settings.serviceMonitor && !settings.exporter) {
    problems.push({ option: '--service-monitor', message: 'it is of the exporter; say --exporter as well' });
  }
  const unknown = settings.faults.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const names = [...known].sort().join(', ');
    problems.push({
      option: '--faults',
      message: `there is no fault ${unknown.join(', ')}; known: ${names}, all`,
    });
  }
  const { watchNamespace } = settings;
  const unwatched = settings.faultNamespaces.filter(
    (name) => watchNamespace !== undefined && name !== watchNamespace,
  );
  if (unwatched.length > 0) {
    const message = `${unwatched.join(', ')}: the operator would watch ${watchNamespace} only`;
    problems.push({ option: '--fault-namespace', message });
  }
  return problems;
}
