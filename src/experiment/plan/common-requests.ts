import type { PolicyRule } from '@turnsole/kube/kinds/core';
import type { Fault } from '../injection/fault.ts';
import type { ExperimentSettings } from '../injection/settings/compile-settings.ts';
import { ANY_KIND, type TargetEntry } from '../injection/settings/parse-targets.ts';
import { hasApplication, parseAuxiliary } from '../targets/health/check-health.ts';
import { OPT_IN_PERMISSIONS } from '../targets/opt-in.ts';

/** The settings that decide what a run asks. */
export type AskingSettings = Pick<
  ExperimentSettings,
  'namespace' | 'targets' | 'defaultHealthCheck' | 'auxiliaryApps'
> & {
  readonly tunables: Pick<ExperimentSettings['tunables'], 'TARGET_PODS' | 'NODE_LABEL' | 'ANNOTATION_CHECK'>;
};

type AskingFault = Pick<Fault, 'targets' | 'health'>;

/** A look at the cluster that the experiment takes for any fault: what it asks, which faults may ask it, and when and where. */
interface CommonRequest {
  readonly rules: readonly PolicyRule[];
  /** Whether any settings lead there: then an account that is made for the fault has to allow it. */
  readonly mayBeAsked: (fault: AskingFault) => boolean;
  /** Namespaces in which it is asked with these settings. */
  readonly askedIn: (fault: AskingFault, settings: AskingSettings) => readonly string[];
}

const LIST_PODS: PolicyRule = { apiGroups: [''], resources: ['pods'], verbs: ['list'] };

const REQUESTS: readonly CommonRequest[] = [
  {
    // The health of the application, and which pods or nodes it has.
    rules: [LIST_PODS],
    mayBeAsked: () => true,
    askedIn: (fault, settings) =>
      looksForTargets(fault, settings) || looksAtHealth(settings) ? placesOf(settings) : [],
  },
  {
    // To find the pods of a workload that is named; selecting targets finds each pod's workload.
    rules: [{ apiGroups: ['apps'], resources: ['replicasets'], verbs: ['list'] }],
    mayBeAsked: () => true,
    askedIn: (fault, settings) =>
      placesOf(settings, (entry) => isOwned(fault, settings, entry, !OLDER.has(entry.kind))),
  },
  {
    rules: [{ apiGroups: [''], resources: ['replicationcontrollers'], verbs: ['list'] }],
    mayBeAsked: () => true,
    askedIn: (fault, settings) =>
      placesOf(settings, (entry) => isOwned(fault, settings, entry, OLDER.has(entry.kind))),
  },
  {
    // Auxiliary applications share a machine with the targets.
    rules: [LIST_PODS],
    mayBeAsked: () => true,
    askedIn: (fault, { auxiliaryApps, defaultHealthCheck }) =>
      defaultHealthCheck && isOfMachines(fault)
        ? parseAuxiliary(auxiliaryApps).map(({ namespace }) => namespace)
        : [],
  },
  {
    // spec.annotationCheck: whether the workloads of the pods agree.
    rules: OPT_IN_PERMISSIONS,
    mayBeAsked: isOfPods,
    askedIn: (fault, settings) =>
      settings.tunables.ANNOTATION_CHECK && isOfPods(fault) ? placesOf(settings) : [],
  },
  {
    rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['list'] }],
    // Nodes belong to no namespace: an account that is limited to some does without NODE_LABEL, and a plan reports that.
    mayBeAsked: () => false,
    askedIn: (fault, { namespace, tunables }) =>
      isOfPods(fault) && tunables.NODE_LABEL !== '' && tunables.TARGET_PODS.length === 0 ? [namespace] : [],
  },
];

/** Workloads of the kinds before replica sets. */
const OLDER: ReadonlySet<string> = new Set(['replicationcontroller', 'deploymentconfig']);

/** Workloads that own their pods themselves. */
const DIRECT: ReadonlySet<string> = new Set(['pod', 'statefulset', 'daemonset', 'job']);

/** Everything of it that an account made for the fault has to allow. Pure. */
export function commonGrants(fault: AskingFault): readonly PolicyRule[] {
  return REQUESTS.filter(({ mayBeAsked }) => mayBeAsked(fault)).flatMap(({ rules }) => rules);
}

/** What of it a run with these settings asks, by namespace. Pure. */
export function commonNeeds(
  fault: AskingFault,
  settings: AskingSettings,
): readonly { readonly namespace: string; readonly rules: readonly PolicyRule[] }[] {
  return REQUESTS.flatMap(({ rules, askedIn }) =>
    askedIn(fault, settings).map((namespace) => ({ namespace, rules })),
  );
}

function isOfPods({ targets }: AskingFault): boolean {
  return targets === 'pods' || targets === 'containers';
}

function isOfMachines({ targets, health }: AskingFault): boolean {
  return targets === 'node' || targets === 'nodes' || health?.subject === 'server';
}

function looksForTargets(fault: AskingFault, settings: AskingSettings): boolean {
  return isOfPods(fault) && (settings.targets.length > 0 || settings.tunables.TARGET_PODS.length > 0);
}

function looksAtHealth({ defaultHealthCheck, targets }: AskingSettings): boolean {
  return defaultHealthCheck && hasApplication(targets);
}

/** Whether the workloads of an entry's pods matter: to a fault of pods, or to a health check of named ones. */
function isOwned(
  fault: AskingFault,
  settings: AskingSettings,
  { kind, names }: TargetEntry,
  hasKind: boolean,
): boolean {
  if (!hasKind || DIRECT.has(kind)) return false;
  if (isOfPods(fault) && (kind !== ANY_KIND || names.length > 0)) return true;
  return looksAtHealth(settings) && names.length > 0;
}

/** Namespaces of the targets; TARGET_PODS alone are those of the engine's namespace. */
function placesOf(
  { targets, namespace }: AskingSettings,
  counts: (entry: TargetEntry) => boolean = () => true,
): readonly string[] {
  const places = targets.filter(counts).map((entry) => entry.namespace);
  return targets.length === 0 && counts(NO_TARGETS) ? [namespace] : [...new Set(places)];
}

/** Stands for an engine that names no targets; it has no workloads. */
const NO_TARGETS: TargetEntry = { kind: 'pod', namespace: '', names: [], selector: undefined };
