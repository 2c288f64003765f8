import type { EventNote } from '@turnsole/kube/controllers/plan';
import type { DaemonSet, Node, Pod, PodTemplateSpec, Toleration } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import { DAEMON_SETS } from '@turnsole/kube/kinds/resources';
import { isBeingDeleted } from '@turnsole/kube/runtime/finalizers';
import { parseTime } from '@turnsole/kube/text/time';
import { resolveIntOrPercent } from '../shared/int-or-percent.ts';
import { omitZero } from '../shared/omit-zero.ts';
import { allowsNode, untoleratedTaint } from '../shared/placement.ts';
import { type GeneratedPod, podOf } from '../shared/pod-of.ts';
import { isAvailable, isReady, nextAvailabilityMs } from '../shared/pods.ts';
import {
  CONTROLLER_REVISION_HASH,
  decideRevision,
  type RevisionDecision,
  surplusRevisions,
} from '../shared/revisions.ts';
import type { ControllerRevision, DaemonSetStatus } from '../shared/types.ts';

/** Everything one pass for a daemon set looks at. */
export interface ObservedDaemonSet {
  readonly set: DaemonSet;
  /** Pods the set owns, in whatever state. */
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
  readonly revisions: readonly ControllerRevision[];
  readonly nowMs: number;
}

/** One step; after creating or deleting pods one decides again before the status is written. */
export interface DaemonSetStep {
  readonly revision: RevisionDecision | undefined;
  /** Names of the nodes that lack a pod. */
  readonly createOn: readonly string[];
  readonly delete: readonly Pod[];
  readonly events: readonly EventNote[];
  readonly status: DaemonSetStatus;
  readonly deleteRevisions: readonly ControllerRevision[];
  readonly requeueAfterMs: number | undefined;
}

/** Tolerations every daemon pod gets: it stays on nodes that are in trouble, for it may be what helps them. */
const DAEMON_TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const HOST_NETWORK_TOLERATION: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};

/** Tolerations of the set's pods: those of its template and those every daemon pod gets. */
function daemonTolerations(template: PodTemplateSpec | undefined): Toleration[] {
  const present = template?.spec?.tolerations ?? [];
  const always =
    template?.spec?.hostNetwork === true
      ? [...DAEMON_TOLERATIONS, HOST_NETWORK_TOLERATION]
      : DAEMON_TOLERATIONS;
  const added = always.filter(
    (toleration) =>
      !present.some(
        (one) =>
          one.key === toleration.key &&
          one.effect === toleration.effect &&
          one.operator === toleration.operator,
      ),
  );
  return [...present, ...added];
}

/** Whether a node should get a pod of the set, and whether one that is there may stay. */
function judgeNode(set: DaemonSet, node: Node): { readonly run: boolean; readonly stay: boolean } {
  const { template } = set.spec ?? {};
  const nodeName = template?.spec?.nodeName ?? '';
  if (nodeName !== '' && nodeName !== node.metadata.name) return { run: false, stay: false };
  if (!allowsNode(template?.spec, node)) return { run: false, stay: false };
  const tolerations = daemonTolerations(template);
  const { taints } = node.spec ?? {};
  return {
    run: untoleratedTaint(taints, tolerations, ['NoSchedule', 'NoExecute']) === undefined,
    stay: untoleratedTaint(taints, tolerations, ['NoExecute']) === undefined,
  };
}

/** Node the pod is on or, before it is bound, meant for. */
export function daemonNodeOf(pod: Pod): string {
  const { nodeName, affinity } = pod.spec ?? {};
  if (nodeName !== undefined && nodeName !== '') return nodeName;
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const { matchFields = [] } of terms) {
    const field = matchFields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    if (field?.values?.length === 1) return field.values[0] ?? '';
  }
  return '';
}

/** Annotation in which the API server counts the templates of a daemon set. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
/** Label of a pod with that number, from before there were revisions; it is still written. */
const TEMPLATE_GENERATION_LABEL = 'pod-template-generation';

/** A pod of the set for one node, bound to it by its affinity, so that the scheduler still checks resources. */
export function newDaemonPod(set: DaemonSet, hash: string, node: string): GeneratedPod {
  const pod = podOf(DAEMON_SETS, set);
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [node] }] };
  const spec = pod.spec ?? { containers: [] };
  const generation = set.metadata.annotations?.[TEMPLATE_GENERATION];
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        [CONTROLLER_REVISION_HASH]: hash,
        ...(generation === undefined ? {} : { [TEMPLATE_GENERATION_LABEL]: generation }),
      },
    },
    spec: {
      ...spec,
      tolerations: daemonTolerations(set.spec?.template),
      affinity: {
        ...spec.affinity,
        nodeAffinity: {
          ...spec.affinity?.nodeAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
        },
      },
    },
  };
}

/** The next step of a daemon set (Kubernetes' daemon set controller). */
export function decideDaemonSet(observed: ObservedDaemonSet): DaemonSetStep {
  const { set, pods, nodes, revisions, nowMs } = observed;
  const isGoing = set.metadata.deletionTimestamp !== undefined;
  const decision = decideRevision(DAEMON_SETS, set, revisions, CONTROLLER_REVISION_HASH);
  const hash = hashOf(decision.update);
  const byNode = groupByNode(pods);
  const plan = isGoing ? { createOn: [], delete: [], events: [] } : place(set, nodes, byNode);
  const isPlaced = plan.createOn.length === 0 && plan.delete.length === 0;
  const outdated = isGoing || !isPlaced ? [] : decideUpdate(set, nodes, byNode, hash, nowMs);
  const inUse = new Set([
    decision.update.metadata.name,
    ...pods.map((pod) => `${set.metadata.name}-${pod.metadata.labels?.[CONTROLLER_REVISION_HASH]}`),
  ]);
  return {
    revision: isGoing ? undefined : decision,
    createOn: plan.createOn,
    delete: [...plan.delete, ...outdated],
    events: plan.events,
    status: statusOf(observed, byNode, hash),
    deleteRevisions: isGoing ? [] : surplusRevisions(revisions, inUse, set.spec?.revisionHistoryLimit ?? 10),
    requeueAfterMs: nextAvailabilityMs(pods, set.spec?.minReadySeconds ?? 0, nowMs),
  };
}

/** The bare hash of a revision, as pods carry it. */
export function hashOf(revision: ControllerRevision): string {
  return revision.metadata.labels?.[CONTROLLER_REVISION_HASH] ?? '';
}

function groupByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const sorted = [...pods].sort(
    (left, right) =>
      (parseTime(left.metadata.creationTimestamp) ?? 0) - (parseTime(right.metadata.creationTimestamp) ?? 0),
  );
  return Map.groupBy(sorted, daemonNodeOf);
}

/** One pod on each node that should have one: ended ones are replaced, second ones and misplaced ones removed. */
function place(
  set: DaemonSet,
  nodes: readonly Node[],
  byNode: ReadonlyMap<string, readonly Pod[]>,
): { createOn: string[]; delete: Pod[]; events: EventNote[] } {
  const createOn: string[] = [];
  const remove: Pod[] = [];
  const events: EventNote[] = [];
  for (const node of nodes) {
    const { name } = node.metadata;
    const { run, stay } = judgeNode(set, node);
    const pods = byNode.get(name) ?? [];
    if (!stay) {
      remove.push(...pods.filter((pod) => !isBeingDeleted(pod)));
      continue;
    }
    if (run && pods.length === 0) createOn.push(name);
    const running: Pod[] = [];
    for (const pod of pods) {
      if (isBeingDeleted(pod)) continue;
      if (isFinished(pod)) {
        remove.push(pod);
        events.push(endedEvent(pod, name));
      } else {
        running.push(pod);
      }
    }
    remove.push(...running.slice(1));
  }
  const known = new Set(nodes.map((node) => node.metadata.name));
  for (const [name, pods] of byNode) {
    // Pods of a node that is gone and that were never bound can only be removed here.
    if (!known.has(name)) remove.push(...pods.filter((pod) => !isBeingDeleted(pod) && !pod.spec?.nodeName));
  }
  return { createOn, delete: remove, events };
}

function endedEvent(pod: Pod, node: string): EventNote {
  const where = `daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${node}, will try to `;
  return pod.status?.phase === 'Failed'
    ? { type: 'Warning', reason: 'FailedDaemonPod', message: `Found failed ${where}kill it` }
    : { type: 'Normal', reason: 'SucceededDaemonPod', message: `Found succeeded ${where}delete it` };
}

/** Pods of a former template that may go now: those not available anyway, and others as far as maxUnavailable allows. */
function decideUpdate(
  set: DaemonSet,
  nodes: readonly Node[],
  byNode: ReadonlyMap<string, readonly Pod[]>,
  hash: string,
  nowMs: number,
): Pod[] {
  if (set.spec?.updateStrategy?.type === 'OnDelete') return [];
  const wanted = nodes.filter((node) => judgeNode(set, node).run);
  const limit = set.spec?.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1;
  const maxUnavailable = Math.max(1, resolveIntOrPercent(limit, wanted.length, 'up'));
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  let unavailable = 0;
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  for (const node of wanted) {
    const pod = (byNode.get(node.metadata.name) ?? []).find((one) => !isBeingDeleted(one));
    if (pod === undefined) {
      unavailable += 1;
      continue;
    }
    const isUpdated = pod.metadata.labels?.[CONTROLLER_REVISION_HASH] === hash;
    const available = isAvailable(pod, minReadySeconds, nowMs);
    if (!available) unavailable += 1;
    if (isUpdated) continue;
    if (available) candidates.push(pod);
    else broken.push(pod);
  }
  return [...broken, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))];
}

function statusOf(
  observed: ObservedDaemonSet,
  byNode: ReadonlyMap<string, readonly Pod[]>,
  hash: string,
): DaemonSetStatus {
  const { set, nodes, nowMs } = observed;
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const status = {
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
    observedGeneration: set.metadata.generation ?? 0,
    updatedNumberScheduled: 0,
    numberAvailable: 0,
    numberUnavailable: 0,
  };
  for (const node of nodes) {
    const pods = byNode.get(node.metadata.name) ?? [];
    const pod = pods.find((one) => !isBeingDeleted(one)) ?? pods[0];
    if (!judgeNode(set, node).run) {
      if (pod !== undefined) status.numberMisscheduled += 1;
      continue;
    }
    status.desiredNumberScheduled += 1;
    if (pod === undefined) continue;
    status.currentNumberScheduled += 1;
    if (isReady(pod)) status.numberReady += 1;
    if (isAvailable(pod, minReadySeconds, nowMs)) status.numberAvailable += 1;
    if (pod.metadata.labels?.[CONTROLLER_REVISION_HASH] === hash) status.updatedNumberScheduled += 1;
  }
  status.numberUnavailable = status.desiredNumberScheduled - status.numberAvailable;
  const { collisionCount } = set.status ?? {};
  return omitZero<DaemonSetStatus>(
    { ...status, collisionCount },
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
  );
}
