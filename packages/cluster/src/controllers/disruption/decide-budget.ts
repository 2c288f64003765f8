import { setConditionAt } from '@turnsole/kube/kinds/conditions';
import type { Pod } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import { parseTime } from '@turnsole/kube/text/time';
import { resolveIntOrPercent } from '../shared/int-or-percent.ts';
import { isReady } from '../shared/pods.ts';
import type { PodDisruptionBudget } from '../shared/types.ts';

type Status = NonNullable<PodDisruptionBudget['status']>;
type BudgetCondition = NonNullable<Status['conditions']>[number];

/** An eviction that was allowed but whose pod is still there after this long did not happen. */
const DISRUPTION_TIMEOUT_MS = 120_000;

/** Everything a budget's status depends on. */
interface ObservedBudget {
  readonly budget: PodDisruptionBudget;
  /** Pods its selector matches. */
  readonly pods: readonly Pod[];
  /** Wanted replicas of the pods' owners, by uid; `undefined` for an owner that has no such number. */
  readonly scales: ReadonlyMap<string, number | undefined>;
  /** Uid of the owner that a pod's replicas are counted by: the deployment, not the replica set. */
  readonly scaleOf: (pod: Pod) => string | undefined;
  readonly nowMs: number;
}

/** The status of a budget, from which evictions are allowed or refused (Kubernetes' disruption controller). */
export function decideBudget(observed: ObservedBudget): Status {
  const { budget, pods, nowMs } = observed;
  const counted = pods.filter((pod) => !isFinished(pod));
  const size = expectedSize(observed, counted);
  const present = budget.status;
  const observedGeneration = budget.metadata.generation ?? 0;
  const disruptedPods = stillDisrupted(present?.disruptedPods, counted, nowMs);
  const conditionsOf = (isAllowed: boolean, reason: string, message: string) => {
    const condition: BudgetCondition = {
      type: 'DisruptionAllowed',
      status: isAllowed ? 'True' : 'False',
      reason,
      message,
      lastTransitionTime: '',
      observedGeneration,
    };
    return setConditionAt(present?.conditions, condition, nowMs);
  };
  if (typeof size === 'string') {
    return {
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
      ...present,
      disruptionsAllowed: 0,
      observedGeneration,
      conditions: conditionsOf(false, 'SyncFailed', size),
    };
  }
  const healthy = counted.filter(
    (pod) =>
      isReady(pod) && pod.metadata.deletionTimestamp === undefined && !(pod.metadata.name in disruptedPods),
  ).length;
  const allowed = size.expected > 0 && healthy > size.desired ? healthy - size.desired : 0;
  return {
    currentHealthy: healthy,
    desiredHealthy: size.desired,
    disruptionsAllowed: allowed,
    expectedPods: size.expected,
    observedGeneration,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    conditions: conditionsOf(allowed > 0, allowed > 0 ? 'SufficientPods' : 'InsufficientPods', ''),
  };
}

/** How many pods there should be, and how many must stay healthy; a sentence when that cannot be known. */
function expectedSize(
  { budget, scales, scaleOf }: ObservedBudget,
  counted: readonly Pod[],
): { readonly expected: number; readonly desired: number } | string {
  const { minAvailable, maxUnavailable } = budget.spec ?? {};
  if (maxUnavailable === undefined && typeof minAvailable === 'number') {
    return { expected: counted.length, desired: minAvailable };
  }
  let expected = 0;
  const owners = new Set<string>();
  for (const pod of counted) {
    const owner = scaleOf(pod);
    if (owner === undefined) return `found no controllers for pod "${pod.metadata.name}"`;
    const scale = scales.get(owner);
    if (scale === undefined) return `the controller of pod "${pod.metadata.name}" has no scale`;
    if (!owners.has(owner)) expected += scale;
    owners.add(owner);
  }
  if (maxUnavailable !== undefined) {
    return { expected, desired: Math.max(0, expected - resolveIntOrPercent(maxUnavailable, expected, 'up')) };
  }
  return { expected, desired: resolveIntOrPercent(minAvailable, expected, 'up') };
}

/** Evictions the API server has allowed and whose pods are not gone yet: they count as disrupted already. */
function stillDisrupted(
  disrupted: Readonly<Record<string, string>> | undefined,
  pods: readonly Pod[],
  nowMs: number,
): Record<string, string> {
  const there = new Set(
    pods
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name),
  );
  return Object.fromEntries(
    Object.entries(disrupted ?? {}).filter(
      ([name, since]) => there.has(name) && (parseTime(since) ?? 0) + DISRUPTION_TIMEOUT_MS > nowMs,
    ),
  );
}
