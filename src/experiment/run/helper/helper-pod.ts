import type { NewObject } from '@turnsole/kube/client/types';
import type { Container, EnvVar, OwnerReference, Pod, PodSpec } from '@turnsole/kube/kinds/core';
import { apiVersionOf } from '@turnsole/kube/kinds/resources';
import type { Environment } from '@turnsole/kube/text/environment';
import type { ChaosEngine, InjectionTarget } from '../../../api/index.ts';
import { CHAOS_ENGINES } from '../../../api/index.ts';
import { helperLabel } from '../../../chaos/helper-label.ts';
import { childTraceParent, helperSpanId } from '../../../chaos/run-trace.ts';
import { planSidecars, type SidecarPlan } from '../../../chaos/sidecars.ts';
import { otelHandedOn } from '../../../tracing/otel-variables.ts';
import { ASSIGNMENT_VARIABLE, type Assignment } from '../../helper/assignment.ts';
import { JOURNAL_FOLDER } from '../../helper/journal.ts';
import type { Fault, HelperNeeds } from '../../injection/fault.ts';
import type { ExperimentSettings } from '../../injection/settings/compile-settings.ts';
import { formatTunable } from '../../injection/settings/parse-tunables.ts';
import { ownContainer } from './own-container.ts';

/** Everything the shape of a helper pod depends on. */
export interface HelperPodInput {
  readonly fault: Pick<Fault, 'name' | 'tunables'> &
    Partial<Pick<Fault, 'shape'>> & { readonly helper?: HelperNeeds };
  readonly settings: ExperimentSettings;
  readonly env: Environment;
  /** Pod of the experiment, as far as it could be read. */
  readonly pod: Pod | undefined;
  readonly engine: ChaosEngine | undefined;
  readonly node: string;
  readonly assignment: Assignment;
  /** Suffix of the name. */
  readonly suffix: string;
  /** No requests and no limits: fits on any node. */
  readonly unlimited?: boolean;
}

/** Image used when neither LIB_IMAGE nor the experiment's own pod says one. */
const FALLBACK_IMAGE = 'litmuschaos/go-runner:latest';

/** Holds the journal of what is in force on the node. */
const JOURNAL_VOLUME = 'turnsole-journal';
/** Holds the credentials that a fault's helper needs. */
const SECRET_VOLUME = 'turnsole-secret';

/** Least grace period: a helper ends as soon as it has reverted, so a long one costs nothing. */
export const HELPER_GRACE_SECONDS = 30;

/**
 * The pod that acts on a node (shape: section 10.1 of the compatibility reference). Pure.
 *
 * Beyond upstream: it belongs to the experiment's pod, so that nothing is left when that is deleted, and always has enough
 * time to revert. It runs the image and entry point of the experiment's own pod, because helper and experiment must be
 * the same release; LIB_IMAGE counts where it names something else than upstream's runner.
 */
export function helperPod(
  input: HelperPodInput,
): NewObject<Pod> & { readonly metadata: { readonly name: string } } {
  const { fault, settings, pod, engine } = input;
  const own = ownContainer(pod, settings);
  const inherits = settings.tunables.SET_HELPER_DATA && engine !== undefined;
  const spec = pod?.spec;
  const grace = Math.max(settings.tunables.TERMINATION_GRACE_PERIOD_SECONDS, HELPER_GRACE_SECONDS);
  const account = settings.serviceAccount ?? spec?.serviceAccountName;
  const owner = ownerOf(pod, engine);
  // Only root may write into that folder of a node.
  const keepsJournal = fault.shape === 'sustained' && fault.helper?.securityContext?.runAsUser === 0;
  const secret = fault.helper?.secret;
  const image = helperImage(settings.tunables.LIB_IMAGE, own);
  // A helper without needs may do as much as its experiment; another image may need more.
  const ofExperiment = image === own?.image ? own.securityContext : undefined;
  const securityContext = fault.helper?.securityContext ?? ofExperiment;
  const sidecars = helperSidecars(input);
  const volumes = [
    // Without a type: runtimes make a folder that is not there, and where they may not, the helper does without.
    ...(keepsJournal ? [{ name: JOURNAL_VOLUME, hostPath: { path: JOURNAL_FOLDER } }] : []),
    ...(secret === undefined
      ? []
      : [{ name: SECRET_VOLUME, secret: { secretName: secret.name, optional: true } }]),
    ...sidecars.flatMap((sidecar) => sidecar.volumes),
  ];
  const mounts = [
    ...(keepsJournal ? [{ name: JOURNAL_VOLUME, mountPath: JOURNAL_FOLDER }] : []),
    ...(secret === undefined ? [] : [{ name: SECRET_VOLUME, mountPath: secret.mountPath, readOnly: true }]),
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: podName(input),
      namespace: settings.namespace,
      labels: helperLabels(pod?.metadata.labels ?? {}, settings),
      ...(inherits ? { annotations: pod?.metadata.annotations ?? {} } : {}),
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: grace,
      serviceAccountName: account,
      ...(spec?.priorityClassName === undefined ? {} : { priorityClassName: spec.priorityClassName }),
      ...(fault.helper?.hostPID === true ? { hostPID: true } : {}),
      ...(ofExperiment !== undefined &&
      securityContext === ofExperiment &&
      spec?.securityContext !== undefined
        ? { securityContext: spec.securityContext }
        : {}),
      ...(inherits && spec?.imagePullSecrets !== undefined
        ? { imagePullSecrets: spec.imagePullSecrets }
        : {}),
      ...placement(input),
      ...(volumes.length === 0 ? {} : { volumes }),
      containers: [
        {
          name: settings.experiment,
          image,
          imagePullPolicy: settings.tunables.LIB_IMAGE_PULL_POLICY,
          ...entryPoint(fault.name, own),
          env: helperEnv(input),
          ...helperResources(input, inherits ? own : undefined),
          ...(securityContext === undefined ? {} : { securityContext }),
          ...(mounts.length === 0 ? {} : { volumeMounts: mounts }),
        },
        ...sidecars.map(({ container }) => container),
      ],
    },
  };
}

/**
 * A helper must run where its targets run, whatever keeps other pods away from there; or anywhere else, where the experiment might run
 * too.
 */
function placement({
  fault,
  node,
  pod,
}: HelperPodInput): Pick<PodSpec, 'nodeName' | 'tolerations' | 'affinity'> {
  if (fault.helper?.elsewhere !== true) return { nodeName: node, tolerations: [{ operator: 'Exists' }] };
  const others = { key: 'metadata.name', operator: 'NotIn', values: [node] };
  const tolerations = pod?.spec?.tolerations;
  return {
    tolerations,
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields: [others] }] },
      },
    },
  };
}

/** The engine's sidecars, with the engine's environment of the experiment; a revert must not wait for their images. */
function helperSidecars({ engine, settings, assignment, suffix }: HelperPodInput): SidecarPlan[] {
  if (engine === undefined || assignment.recover !== undefined) return [];
  const { experiment } = settings;
  const entry = engine.spec.experiments.find(({ name }) => name === experiment);
  return planSidecars(engine, {
    mainContainer: experiment,
    nameOf: (number) => `${experiment.slice(0, 40)}-sidecar-${suffix}-${number}`,
    env: entry?.spec?.components?.env ?? [],
  });
}

/**
 * The default resources of a helper: requests equal limits, so that the pod is Guaranteed, and neither the
 * kernel nor the kubelet kills it first when its fault makes memory scarce. Half a core keeps the start under a second, and
 * each target adds enough to hit a hundred of them within seconds; more might not fit on a full node.
 */
function guaranteed(targets: number): Readonly<Record<'cpu' | 'memory', string>> {
  const cpu = Math.min(500 + 10 * (targets - 1), 1500);
  return { cpu: `${cpu}m`, memory: `${256 + 2 * (targets - 1)}Mi` };
}

/** The experiment's own (components.resources of the engine) if given; a fault that loads by its helper has no limits. */
function helperResources(
  { fault, assignment, unlimited = fault.helper?.unlimited === true }: HelperPodInput,
  own: Container | undefined,
): Pick<Container, 'resources'> {
  if (Object.keys(own?.resources ?? {}).length > 0) return { resources: own?.resources ?? {} };
  // A revert must not wait for room on the node.
  if (unlimited || assignment.recover !== undefined) return {};
  const amounts = guaranteed(Math.max(assignment.targets.length, 1));
  return { resources: { requests: amounts, limits: amounts } };
}

/** Labels of the experiment's pod but those of its Job, which must not count the helper as its own. */
function helperLabels(
  labels: Readonly<Record<string, string>>,
  { experiment, runId, engineUid }: ExperimentSettings,
): Record<string, string> {
  const kept = Object.entries(labels).filter(([key]) => !/(job-name|controller-uid)$/.test(key));
  return {
    ...(engineUid === '' ? {} : { chaosUID: engineUid }),
    ...Object.fromEntries(kept),
    app: helperLabel(experiment, runId),
  };
}

/** Images that upstream's charts name: its own, and the shell of its service faults. Neither has our helper in it. */
const UPSTREAM_HELPERS = /(^|\/)(go-runner(:|@|$)|ubuntu:16\.04$)/;

function helperImage(libImage: string, own: Container | undefined): string {
  const custom = libImage !== '' && !UPSTREAM_HELPERS.test(libImage);
  return custom ? libImage : (own?.image ?? (libImage === '' ? FALLBACK_IMAGE : libImage));
}

/** The helper is started the way the experiment was: upstream's shell line, or our own subcommand. */
function entryPoint(name: string, own: Container | undefined): Pick<Container, 'command' | 'args'> {
  const line = [...(own?.command ?? []), ...(own?.args ?? [])];
  const index = line.indexOf('experiment');
  if (index < 0) return { command: ['/bin/bash'], args: ['-c', `./helpers -name ${name}`] };
  const head = line.slice(0, index);
  const args = ['helper', '-name', name];
  return head.length === 0 ? { args } : { command: [...head, ...args] };
}

/** Upstream's variables plus the assignment; empty values are left out. */
function helperEnv(input: HelperPodInput): EnvVar[] {
  const { fault, settings, env, assignment } = input;
  const { tunables } = settings;
  const own = Object.entries(fault.tunables).map(([name, tunable]): [string, string] => [
    name,
    // A range has been drawn already, except for the interval, which is drawn anew for each round.
    name === 'CHAOS_INTERVAL' ? (env[name] ?? '') : formatTunable(tunable, tunables[name]),
  ]);
  const values: [string, string][] = [
    [
      'TARGETS',
      assignment.targets
        .filter(({ kind }) => kind === 'pod')
        .map(formatHelperTarget)
        .join(';'),
    ],
    ['TOTAL_CHAOS_DURATION', String(settings.durationMs / 1000)],
    ['CHAOS_NAMESPACE', settings.namespace],
    ['CHAOSENGINE', settings.engine ?? ''],
    ['CHAOS_UID', settings.engineUid],
    ['EXPERIMENT_NAME', settings.experiment],
    ['CONTAINER_RUNTIME', tunables.CONTAINER_RUNTIME],
    ['SOCKET_PATH', tunables.SOCKET_PATH],
    ['INSTANCE_ID', settings.instanceId],
    ['RUN_ID', settings.runId],
    ['LEASE_SECONDS', String(tunables.LEASE_SECONDS)],
    ['RANDOMNESS', String(tunables.RANDOMNESS)],
    ['STATUS_CHECK_TIMEOUT', String(settings.statusCheckTimeoutMs / 1000)],
    ...Object.entries(otelHandedOn(env)),
    ['TRACE_PARENT', traceParentOf(input)],
    ...own,
    [ASSIGNMENT_VARIABLE, JSON.stringify(assignment)],
  ];
  const unique = new Map(values.filter(([, value]) => value !== ''));
  return [
    ...[...unique].map(([name, value]) => ({ name, value })),
    { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
  ];
}

function podName({ settings, suffix }: HelperPodInput): string {
  return `${settings.experiment}-helper-${suffix}`;
}

function traceParentOf(input: HelperPodInput): string {
  const { env } = input;
  return childTraceParent(env.TRACE_PARENT ?? '', {
    runId: env.RUN_ID,
    otel: env,
    spanId: () => helperSpanId(input.settings.runId, podName(input)),
  });
}

/** `pod:namespace:container`, as upstream's helpers read it. */
function formatHelperTarget({ name, namespace, container }: InjectionTarget): string {
  return [name, namespace ?? '', container ?? ''].join(':');
}

function ownerOf(pod: Pod | undefined, engine: ChaosEngine | undefined): OwnerReference | undefined {
  if (pod?.metadata.uid !== undefined) {
    return { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid };
  }
  if (engine?.metadata.uid === undefined) return undefined;
  const { name, uid } = engine.metadata;
  return { apiVersion: apiVersionOf(CHAOS_ENGINES), kind: CHAOS_ENGINES.kind, name, uid };
}

/** Assigns targets to helpers: one helper per node; in serial mode one helper per target, in turn. Pure. */
export function helperBatches(
  targets: readonly InjectionTarget[],
  sequence: 'serial' | 'parallel',
): readonly (readonly HelperShare[])[] {
  if (sequence === 'serial') return targets.map((target) => sharesOf([target]));
  return targets.length === 0 ? [] : [sharesOf(targets)];
}

/** The targets of one helper. */
export interface HelperShare {
  readonly node: string;
  readonly targets: readonly InjectionTarget[];
}

function sharesOf(targets: readonly InjectionTarget[]): HelperShare[] {
  const shares = Map.groupBy(targets, ({ node }) => node ?? '');
  return [...shares].map(([node, share]) => ({ node, targets: share }));
}
