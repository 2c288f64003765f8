import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { Container, Pod } from '@turnsole/kube/kinds/core';
import { parseQuantity } from '@turnsole/kube/text/quantity';
import { parseTime } from '@turnsole/kube/text/time';
import type { PodMetrics } from './types.ts';

/** A pod younger than this may use CPU for its start alone (kube-controller-manager, cpu-initialization-period). */
const CPU_INITIALIZATION_MS = 300_000;
/** A pod that was never ready within this time of its start has not become ready yet (initial-readiness-delay). */
const INITIAL_READINESS_MS = 30_000;

/** The measured part: whole pods, or one container of each. */
export interface Measured {
  /** `cpu` or `memory`. */
  readonly resource: string;
  readonly container?: string | undefined;
}

/** What one pod uses, in thousandths. */
export interface PodValue {
  readonly milli: number;
  readonly atMs: number;
  readonly windowMs: number;
}

/** Pods by how they count. */
interface PodGroups {
  /** Those whose figures count, by name. */
  readonly ready: ReadonlyMap<string, number>;
  /** Not ready yet: their figures do not count. */
  readonly unready: readonly string[];
  /** Without figures. */
  readonly missing: readonly string[];
}

/** What each pod uses by its PodMetrics; a pod without figures of the container or the resource is left out. Pure. */
export function podValues(
  metrics: readonly PodMetrics[],
  { resource, container }: Measured,
): ReadonlyMap<string, PodValue> {
  const values = new Map<string, PodValue>();
  for (const { metadata, timestamp, window, containers } of metrics) {
    const counted = containers.filter(({ name }) => container === undefined || name === container);
    const amounts = counted.map(({ usage }) => usage[resource]);
    if (amounts.length === 0 || amounts.includes(undefined)) continue;
    const milli = amounts.reduce((sum, amount) => sum + milliOf(amount ?? '0'), 0);
    values.set(metadata.name, {
      milli,
      atMs: parseTime(timestamp) ?? 0,
      windowMs: Number.parseFloat(window) * 1000 || 0,
    });
  }
  return values;
}

/** A quantity in thousandths, rounded up as Kubernetes does. Pure. */
export function milliOf(text: string | number): number {
  const { nano } = parseQuantity(String(text));
  const whole = nano / 1_000_000n;
  return Number(nano % 1_000_000n > 0n ? whole + 1n : whole);
}

/**
 * Sorts pods by whether their figures count (kubernetes.io, Horizontal Pod Autoscaling, Algorithm details): those that have failed
 * or are terminating do not count at all. Of CPU, a pod that is not ready yet does not count, and in its first minutes not
 * before a whole window was measured since it became ready. Pure.
 */
export function groupPods(
  pods: readonly Pod[],
  values: ReadonlyMap<string, PodValue>,
  resource: string,
  nowMs: number,
): PodGroups {
  const ready = new Map<string, number>();
  const unready: string[] = [];
  const missing: string[] = [];
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    if (deletionTimestamp !== undefined || pod.status?.phase === 'Failed') continue;
    const value = values.get(name);
    if (pod.status?.phase === 'Pending') unready.push(name);
    else if (value === undefined) missing.push(name);
    else if (resource === 'cpu' && isStarting(pod, value, nowMs)) unready.push(name);
    else ready.set(name, value.milli);
  }
  return { ready, unready, missing };
}

function isStarting({ status }: Pod, { atMs, windowMs }: PodValue, nowMs: number): boolean {
  const condition = findCondition(status?.conditions, 'Ready');
  const startedAtMs = parseTime(status?.startTime);
  if (condition === undefined || startedAtMs === undefined) return true;
  const changedAtMs = parseTime(condition.lastTransitionTime) ?? 0;
  const isNotReady = condition.status === 'False';
  if (startedAtMs + CPU_INITIALIZATION_MS > nowMs) return isNotReady || atMs < changedAtMs + windowMs;
  return isNotReady && startedAtMs + INITIAL_READINESS_MS > changedAtMs;
}

/**
 * What each pod has requested, in thousandths, by name. Pure.
 *
 * @throws Error when a container has no request: a share of it is then undefined
 */
export function podRequests(
  pods: readonly Pod[],
  { resource, container }: Measured,
): ReadonlyMap<string, number> {
  return new Map(
    pods.map((pod) => {
      const counted = longRunning(pod).filter(({ name }) => container === undefined || name === container);
      if (container !== undefined && counted.length === 0)
        throw new Error(`container ${container} not found in Pod ${pod.metadata.name}`);
      const requests = counted.map(({ name, resources }) => {
        const request = resources?.requests?.[resource];
        if (request !== undefined) return milliOf(request);
        throw new Error(`missing request for ${resource} in container ${name} of Pod ${pod.metadata.name}`);
      });
      return [pod.metadata.name, requests.reduce((sum, request) => sum + request, 0)];
    }),
  );
}

function longRunning({ spec }: Pod): readonly Container[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...(spec?.containers ?? []), ...sidecars];
}
