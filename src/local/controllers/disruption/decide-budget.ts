import { setConditionAt } from '../../../api/conditions.ts';
import type { Pod } from '../../../api/core.ts';
import { isFinished } from '../../../api/pod-phase.ts';
import { parseTime } from '../../../text/time.ts';
import { resolveIntOrPercent } from '../shared/int-or-percent.ts';
import { isReady } from '../shared/pods.ts';
import type { PodDisruptionBudget } from '../shared/types.ts';

type Status = NonNullable<PodDisruptionBudget['status']>;

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
  const disruptedPods = stillDisrupted(present?.disruptedPods, counted, nowMs);
  if (typeof size === 'string') {
    const condition = {
      type: 'DisruptionAllowed',
      status: 'False' as const,
      reason: 'SyncFailed',
      message: size,
      lastTransitionTime: '',
    };
    return {
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
      ...present,
      disruptionsAllowed: 0,
      observedGeneration: budget.metadata.generation ?? 0,
      conditions: withConditions(budget, condition, nowMs),
    };
  }
  const healthy = counted.filter(
    (pod) =>
      isReady(pod) && pod.metadata.deletionTimestamp === undefined && !(pod.metadata.name in disruptedPods),
  ).length;
  const allowed = size.expected > 0 && healthy > size.desired ? healthy - size.desired : 0;
  const condition = {
    type: 'DisruptionAllowed',
    status: allowed > 0 ? ('True' as const) : ('False' as const),
    reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    lastTransitionTime: '',
  };
  return {
    currentHealthy: healthy,
    desiredHealthy: size.desired,
    disruptionsAllowed: allowed,
    expectedPods: size.expected,
    observedGeneration: budget.metadata.generation ?? 0,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    conditions: withConditions(budget, condition, nowMs),
  };
}

type BudgetCondition = NonNullable<Status['conditions']>[number];

function withConditions(
  { status, metadata }: PodDisruptionBudget,
  condition: BudgetCondition,
  nowMs: number,
): BudgetCondition[] {
  const observedGeneration = metadata.generation ?? 0;
  return setConditionAt(status?.conditions, { ...condition, observedGeneration }, nowMs);
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
