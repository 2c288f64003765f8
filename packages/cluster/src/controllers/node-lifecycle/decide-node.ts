import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { equivalentJson } from '@turnsole/kube/text/json';
import { metaTime, parseTime } from '@turnsole/kube/text/time';
import { isTolerationFor } from '../shared/placement.ts';
import type { NodeCondition, Taint } from '../shared/types.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** Taints that stand for a condition being True. */
const PRESSURE_TAINTS: readonly (readonly [string, string])[] = [
  ['MemoryPressure', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'node.kubernetes.io/disk-pressure'],
  ['PIDPressure', 'node.kubernetes.io/pid-pressure'],
  ['NetworkUnavailable', 'node.kubernetes.io/network-unavailable'],
];

/** Keys of the taints this controller sets and removes; all others are people's. */
const MANAGED = new Set([NOT_READY, UNREACHABLE, UNSCHEDULABLE, ...PRESSURE_TAINTS.map(([, key]) => key)]);

/** Conditions that become Unknown when a node is silent. */
const HEARTBEAT_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The conditions of a node that has given no sign of life for too long; `undefined` when they say so already. */
export function silentConditions(node: Node, nowMs: number): NodeCondition[] | undefined {
  const present = node.status?.conditions ?? [];
  const silent = HEARTBEAT_CONDITIONS.map((type): NodeCondition => {
    const condition = findCondition(present, type);
    if (condition?.status === 'Unknown') return condition;
    const now = metaTime(nowMs);
    return condition === undefined
      ? {
          type,
          status: 'Unknown',
          reason: 'NodeStatusNeverUpdated',
          message: 'Kubelet never posted node status.',
          lastHeartbeatTime: node.metadata.creationTimestamp ?? now,
          lastTransitionTime: now,
        }
      : {
          ...condition,
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'Kubelet stopped posting node status.',
          lastTransitionTime: now,
        };
  });
  const others = present.filter(({ type }) => !HEARTBEAT_CONDITIONS.includes(type));
  const conditions = [...silent, ...others];
  return silent.every((condition) => present.includes(condition)) ? undefined : conditions;
}

/** Whether Ready is True, False or Unknown; a node that never said anything counts as not ready. */
export function readiness(node: Node): string {
  return findCondition(node.status?.conditions, 'Ready')?.status ?? 'False';
}

/**
 * The taints a node should have by its conditions and `spec.unschedulable`; `undefined` when it has them. A taint that
 * stays keeps the time it was added at, from which tolerationSeconds run.
 */
export function taintsFor(node: Node, nowMs: number): Taint[] | undefined {
  const present = node.spec?.taints ?? [];
  const wanted: Taint[] = [];
  const want = (key: string, effect: string): void => {
    const found = present.find((taint) => taint.key === key && taint.effect === effect);
    const timed = effect === 'NoExecute' ? { timeAdded: metaTime(nowMs) } : {};
    wanted.push(found ?? { key, effect, ...timed });
  };
  const ready = readiness(node);
  if (ready !== 'True') {
    const key = ready === 'Unknown' ? UNREACHABLE : NOT_READY;
    want(key, 'NoSchedule');
    want(key, 'NoExecute');
  }
  for (const [type, key] of PRESSURE_TAINTS) {
    if (findCondition(node.status?.conditions, type)?.status === 'True') want(key, 'NoSchedule');
  }
  if (node.spec?.unschedulable === true) want(UNSCHEDULABLE, 'NoSchedule');
  const taints = [...present.filter(({ key }) => !MANAGED.has(key)), ...wanted];
  return equivalentJson(sorted(taints), sorted(present)) ? undefined : taints;
}

function sorted(taints: readonly Taint[]): Taint[] {
  return [...taints].sort((left, right) =>
    `${left.key} ${left.effect}` < `${right.key} ${right.effect}` ? -1 : 1,
  );
}

/**
 * Milliseconds until a pod has to leave its node because of NoExecute taints: 0 at once, `undefined` never. The shortest
 * tolerationSeconds of the tolerations in use decides, counted from the latest moment a taint was added.
 */
export function untilEvictionMs(pod: Pod, taints: readonly Taint[], nowMs: number): number | undefined {
  const evicting = taints.filter(({ effect }) => effect === 'NoExecute');
  if (evicting.length === 0 || pod.metadata.deletionTimestamp !== undefined) return undefined;
  const tolerations = pod.spec?.tolerations ?? [];
  let shortestSeconds: number | undefined;
  let since = 0;
  for (const taint of evicting) {
    const matching = tolerations.filter((toleration) => isTolerationFor(toleration, taint));
    if (matching.length === 0) return 0;
    since = Math.max(since, parseTime(taint.timeAdded) ?? nowMs);
    for (const { tolerationSeconds } of matching) {
      if (tolerationSeconds === undefined) continue;
      const seconds = Math.max(0, tolerationSeconds);
      shortestSeconds = shortestSeconds === undefined ? seconds : Math.min(shortestSeconds, seconds);
    }
  }
  if (shortestSeconds === undefined) return undefined;
  return Math.max(0, since + shortestSeconds * 1000 - nowMs);
}

/**
 * Since when each node has its taints: a taint added by hand carries no time, and tolerationSeconds run from the moment at
 * which it is first seen.
 */
export class SeenTaints {
  readonly #since = new Map<string, ReadonlyMap<string, string>>();

  /** The node's taints, each with the time it was added at. */
  dated({ metadata, spec }: Node, nowMs: number): Taint[] {
    const before = this.#since.get(metadata.name);
    const taints = (spec?.taints ?? []).map((taint) => ({
      ...taint,
      timeAdded: taint.timeAdded ?? before?.get(keyOf(taint)) ?? new Date(nowMs).toISOString(),
    }));
    this.#since.set(metadata.name, new Map(taints.map((taint) => [keyOf(taint), taint.timeAdded])));
    return taints;
  }

  /** The node is gone. */
  forget(node: string): void {
    this.#since.delete(node);
  }
}

function keyOf({ key, value = '', effect }: Taint): string {
  return `${key}=${value}:${effect}`;
}
