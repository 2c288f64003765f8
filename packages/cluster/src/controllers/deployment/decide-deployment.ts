import type { EventNote } from '@turnsole/kube/controllers/plan';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { Deployment, Pod, ReplicaSet } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import { DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { controllerOf, ownerReference } from '@turnsole/kube/runtime/index';
import { equivalentJson } from '@turnsole/kube/text/json';
import { templateHash } from '../shared/hash.ts';
import type { DeploymentCondition, DeploymentStatus } from '../shared/types.ts';
import {
  countReplicas,
  isComplete,
  judgeProgress,
  progressDeadlineSeconds,
  withVerdict,
} from './deployment-status.ts';
import {
  annotatedReplicas,
  currentSetAnnotations,
  POD_TEMPLATE_HASH,
  REVISION,
  revisionOf,
  sizeAnnotations,
  splitReplicaSets,
} from './revisions.ts';
import {
  currentSetSize,
  isRollingUpdate,
  oldSetSizes,
  proportionalSizes,
  rolloutBounds,
  type Sizes,
  wantedReplicas,
} from './rollout-size.ts';

/** Everything one pass for a deployment looks at. */
interface ObservedDeployment {
  readonly deployment: Deployment;
  /** Replica sets the deployment owns. */
  readonly replicaSets: readonly ReplicaSet[];
  /** Pods in its namespace that these replica sets own; Recreate waits for the old ones to be gone. */
  readonly pods: readonly Pod[];
  readonly nowMs: number;
}

/** The plan of one pass. Applying it and deciding again leads on; a plan without changes ends the pass. */
export interface DeploymentPlan {
  /** A replica set for the present template. */
  readonly create: ReplicaSet | undefined;
  /** Replica sets as they shall be. */
  readonly update: readonly ReplicaSet[];
  /** Replica sets beyond the history limit. */
  readonly delete: readonly ReplicaSet[];
  /** Value of the deployment's revision annotation, when it must change. */
  readonly revision: string | undefined;
  readonly status: DeploymentStatus;
  readonly events: readonly EventNote[];
  readonly requeueAfterMs: number | undefined;
}

/** The next step of a deployment (Kubernetes' deployment controller: sync, rolling, recreate, progress). */
export function decideDeployment(observed: ObservedDeployment): DeploymentPlan {
  const { deployment, replicaSets, nowMs } = observed;
  const { current, old } = splitReplicaSets(deployment, replicaSets);
  if (deployment.metadata.deletionTimestamp !== undefined) {
    return idlePlan(countReplicas(deployment, current, replicaSets, nowMs));
  }
  const revision = Math.max(0, ...old.map(revisionOf)) + 1;
  const withPause = notePause(deployment, nowMs);
  const scope: Scope = { deployment: withPause, current, old, revision, nowMs };
  if (withPause.spec?.paused === true || isScaling(withPause, replicaSets)) {
    return finish(scope, proportionalSizes(withPause, current, old), { rollout: false });
  }
  if (isRollingUpdate(withPause)) return finish(scope, rollingSizes(scope), { rollout: true });
  return recreate(scope, observed.pods);
}

function idlePlan(status: DeploymentStatus): DeploymentPlan {
  return {
    create: undefined,
    update: [],
    delete: [],
    revision: undefined,
    status,
    events: [],
    requeueAfterMs: undefined,
  };
}

/** What one step of a deployment follows from. */
interface Scope {
  readonly deployment: Deployment;
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
  /** Number of the present template. */
  readonly revision: number;
  readonly nowMs: number;
}

/** Sizes of one rolling step: the new set grows first; only when it keeps its size do the old ones shrink. */
function rollingSizes({ deployment, current, old }: Scope): Sizes {
  if (current === undefined) return new Map();
  const size = currentSetSize(deployment, current, old);
  if (size !== wantedReplicas(current)) return new Map([[current.metadata.name, size]]);
  return oldSetSizes(deployment, current, old);
}

/** Recreate: all old pods go, and only then does the new set get its replicas. */
function recreate(scope: Scope, pods: readonly Pod[]): DeploymentPlan {
  const { deployment, current, old } = scope;
  const active = old.filter((set) => wantedReplicas(set) > 0);
  if (active.length > 0) {
    return finish(scope, new Map(active.map((set) => [set.metadata.name, 0])), {
      rollout: true,
      create: false,
    });
  }
  const isLeft = (pod: Pod) => controllerOf(pod)?.uid !== current?.metadata.uid && !isFinished(pod);
  if (old.some((set) => (set.status?.replicas ?? 0) > 0) || pods.some(isLeft)) {
    return finish(scope, new Map(), { rollout: true, create: false });
  }
  const wanted = wantedReplicas(deployment);
  const sizes: Sizes =
    current === undefined || wantedReplicas(current) === wanted
      ? new Map()
      : new Map([[current.metadata.name, wanted]]);
  return finish(scope, sizes, { rollout: true });
}

/** Whether only the number of replicas changed since the active sets were last scaled. */
function isScaling(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  return sets.some((set) => {
    const annotated = annotatedReplicas(set);
    return wantedReplicas(set) > 0 && annotated !== undefined && annotated !== wantedReplicas(deployment);
  });
}

/** Pausing stops the progress deadline, resuming starts it anew. */
function notePause(deployment: Deployment, nowMs: number): Deployment {
  if (progressDeadlineSeconds(deployment) === undefined) return deployment;
  const conditions = deployment.status?.conditions ?? [];
  const present = findCondition(conditions, 'Progressing');
  if (present?.reason === 'ProgressDeadlineExceeded') return deployment;
  const paused = deployment.spec?.paused === true;
  const wasPaused = present?.reason === 'DeploymentPaused';
  if (paused === wasPaused) return deployment;
  const change = paused
    ? { reason: 'DeploymentPaused', message: 'Deployment is paused' }
    : { reason: 'DeploymentResumed', message: 'Deployment is resumed' };
  const verdict = { type: 'Progressing', status: 'Unknown', ...change };
  return {
    ...deployment,
    status: { ...deployment.status, conditions: withVerdict(conditions, verdict, nowMs) },
  };
}

/** What the chosen sizes mean for objects, status and events. */
function finish(
  scope: Scope,
  sizes: Sizes,
  { rollout, create = true }: { rollout: boolean; create?: boolean },
): DeploymentPlan {
  const { deployment, current, old, nowMs } = scope;
  const events: EventNote[] = [];
  const all = current === undefined ? old : [...old, current];
  const update: ReplicaSet[] = [];
  for (const set of all) {
    const size = sizes.get(set.metadata.name) ?? wantedReplicas(set);
    const next = nextState(scope, set, size, sizes.has(set.metadata.name));
    if (next === undefined) continue;
    update.push(next);
    if (size !== wantedReplicas(set)) events.push(scaledEvent(set.metadata.name, wantedReplicas(set), size));
  }
  const created = rollout && create && current === undefined ? newSet(scope) : undefined;
  const born = created === undefined ? 0 : wantedReplicas(created);
  // A set that begins with nothing is not scaled yet (deployment controller of Kubernetes: sync.go).
  if (created !== undefined && born > 0) events.push(scaledEvent(created.metadata.name, 0, born));

  const counted = noteSet(scope, countReplicas(deployment, current, all, nowMs), created);
  const judged = rollout
    ? judgeProgress(deployment, counted, current, all, nowMs)
    : { status: counted, requeueAfterMs: undefined };
  const mayClean =
    update.length === 0 && created === undefined && (!rollout || isComplete(deployment, judged.status));
  const present = created ?? current;
  return {
    create: created,
    update,
    delete: mayClean ? beyondHistory(deployment, old) : [],
    revision: present === undefined ? undefined : changedRevision(deployment, present, update),
    status: judged.status,
    events,
    requeueAfterMs: judged.requeueAfterMs,
  };
}

/** The set as it shall be; `undefined` when it already is. */
function nextState(
  { deployment, current, revision }: Scope,
  set: ReplicaSet,
  size: number,
  isResized: boolean,
): ReplicaSet | undefined {
  const isCurrent = set === current;
  const present = set.metadata.annotations ?? {};
  let annotations: Readonly<Record<string, string>> = present;
  if (isCurrent) annotations = currentSetAnnotations(deployment, annotations, revision);
  if (isResized || wantedReplicas(set) > 0) {
    annotations = { ...annotations, ...announcedSizes(deployment) };
  }
  const minReadySeconds = isCurrent
    ? (deployment.spec?.minReadySeconds ?? 0)
    : (set.spec?.minReadySeconds ?? 0);
  const isSame =
    size === wantedReplicas(set) &&
    minReadySeconds === (set.spec?.minReadySeconds ?? 0) &&
    equivalentJson(annotations, present);
  if (isSame || set.spec === undefined) return undefined;
  return {
    ...set,
    metadata: { ...set.metadata, annotations: { ...annotations } },
    spec: { ...set.spec, replicas: size, ...(minReadySeconds === 0 ? {} : { minReadySeconds }) },
  };
}

function announcedSizes(deployment: Deployment): Readonly<Record<string, string>> {
  const wanted = wantedReplicas(deployment);
  return sizeAnnotations(wanted, wanted + rolloutBounds(deployment).maxSurge);
}

function newSet({ deployment, old, revision }: Scope): ReplicaSet {
  const { template, selector, minReadySeconds } = deployment.spec ?? {};
  const hash = templateHash(template, deployment.status?.collisionCount ?? 0);
  const labels = { ...template?.metadata?.labels, [POD_TEMPLATE_HASH]: hash };
  const annotations = currentSetAnnotations(deployment, announcedSizes(deployment), revision);
  const { namespace } = deployment.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace,
      labels,
      annotations: { ...annotations },
      ownerReferences: [ownerReference(DEPLOYMENTS, deployment)],
    },
    spec: {
      replicas: currentSetSize(deployment, undefined, old),
      minReadySeconds,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [POD_TEMPLATE_HASH]: hash } },
      template: { ...template, metadata: { ...template?.metadata, labels } },
    },
  };
}

/** Records in the status that a deployment has found or made its replica set: its progress deadline runs from then. */
function noteSet(
  { deployment, current, nowMs }: Scope,
  status: DeploymentStatus,
  created: ReplicaSet | undefined,
): DeploymentStatus {
  if (progressDeadlineSeconds(deployment) === undefined) return status;
  const conditions: readonly DeploymentCondition[] = status.conditions ?? [];
  const verdict = { type: 'Progressing', status: 'True' };
  if (created !== undefined) {
    const message = `Created new replica set "${created.metadata.name}"`;
    const made = { ...verdict, reason: 'NewReplicaSetCreated', message };
    return { ...status, conditions: withVerdict(conditions, made, nowMs) };
  }
  if (current === undefined || findCondition(conditions, 'Progressing') !== undefined) return status;
  const message = `Found new replica set "${current.metadata.name}"`;
  const found = { ...verdict, reason: 'FoundNewReplicaSet', message };
  return { ...status, conditions: withVerdict(conditions, found, nowMs) };
}

function scaledEvent(name: string, from: number, to: number): EventNote {
  const direction = to >= from ? 'up' : 'down';
  return {
    type: 'Normal',
    reason: 'ScalingReplicaSet',
    message: `Scaled ${direction} replica set ${name} from ${from} to ${to}`,
  };
}

function changedRevision(
  deployment: Deployment,
  current: ReplicaSet,
  update: readonly ReplicaSet[],
): string | undefined {
  const set = update.find(({ metadata }) => metadata.name === current.metadata.name) ?? current;
  const revision = set.metadata.annotations?.[REVISION];
  return revision === deployment.metadata.annotations?.[REVISION] ? undefined : revision;
}

/** Old, empty, settled replica sets beyond the history limit, lowest revision first. */
function beyondHistory(deployment: Deployment, old: readonly ReplicaSet[]): ReplicaSet[] {
  const limit = deployment.spec?.revisionHistoryLimit ?? 10;
  const candidates = old.filter((set) => set.metadata.deletionTimestamp === undefined);
  const excess = candidates.length - limit;
  if (excess <= 0) return [];
  return candidates
    .sort((left, right) => revisionOf(left) - revisionOf(right))
    .slice(0, excess)
    .filter(
      (set) =>
        (set.status?.replicas ?? 0) === 0 &&
        wantedReplicas(set) === 0 &&
        (set.metadata.generation ?? 0) <= (set.status?.observedGeneration ?? 0),
    );
}
