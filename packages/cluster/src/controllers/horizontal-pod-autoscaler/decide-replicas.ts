import type { Pod } from '@turnsole/kube/kinds/core';
import { groupPods, type Measured, type PodValue, podRequests } from './pod-values.ts';

/** How far usage may be from its target without anything being done (horizontal-pod-autoscaler-tolerance). */
const TOLERANCE = 0.1;

/** The target: a share of the requests in percent, or an amount per pod in thousandths. */
export type ReplicaTarget =
  | { readonly kind: 'utilization'; readonly percent: number }
  | { readonly kind: 'average'; readonly milli: number };

/** What a number of replicas follows from. */
export interface ReplicaInput {
  readonly currentReplicas: number;
  /** All pods of the target. */
  readonly pods: readonly Pod[];
  readonly values: ReadonlyMap<string, PodValue>;
  readonly measured: Measured;
  readonly target: ReplicaTarget;
  readonly nowMs: number;
}

/** How many replicas a metric asks for, and what was measured. */
export interface ReplicaProposal {
  readonly replicas: number;
  /** Share of the requests, where the target is one. */
  readonly utilization?: number;
  /** Mean per pod, in thousandths. */
  readonly averageMilli: number;
}

/**
 * How many replicas bring the usage of a resource to its target: ceil(current replicas × usage ÷ target), in the ways of
 * kubernetes.io, Horizontal Pod Autoscaling, Algorithm details. Pods without figures count as if they used all of their
 * target when the number would shrink, and nothing when it would grow; pods that are not ready count as using nothing when it
 * would grow. If this would turn the direction around, the number stays as it is. Pure.
 *
 * @throws Error with what is missing
 */
export function decideReplicas(input: ReplicaInput): ReplicaProposal {
  const { currentReplicas, pods, values, measured, target, nowMs } = input;
  if (values.size === 0)
    throw new Error(
      `unable to get metrics for resource ${measured.resource}: no metrics returned from resource metrics API`,
    );
  if (pods.length === 0) throw new Error('no pods returned by selector while calculating replica count');
  const { ready, unready, missing } = groupPods(pods, values, measured.resource, nowMs);
  if (ready.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  const ruler = rulerOf(target, pods, measured);
  const measuredRatio = ruler.ratio(ready);
  const about = {
    averageMilli: Math.floor(sum(ready) / ready.size),
    ...(target.kind === 'utilization' ? { utilization: ruler.utilization(ready) } : {}),
  };
  const keep = { replicas: currentReplicas, ...about };
  const growsWithUnready = unready.length > 0 && measuredRatio > 1;
  if (!growsWithUnready && missing.length === 0) {
    if (isTolerable(measuredRatio)) return keep;
    return { replicas: Math.ceil(measuredRatio * ready.size), ...about };
  }
  const counted = new Map(ready);
  for (const name of missing) {
    if (measuredRatio < 1) counted.set(name, ruler.full(name));
    else if (measuredRatio > 1) counted.set(name, 0);
  }
  if (growsWithUnready) for (const name of unready) counted.set(name, 0);
  const ratio = ruler.ratio(counted);
  const isTurned = (measuredRatio < 1 && ratio > 1) || (measuredRatio > 1 && ratio < 1);
  if (isTolerable(ratio) || isTurned) return keep;
  const replicas = Math.ceil(ratio * counted.size);
  const isAgainst = ratio < 1 ? replicas > currentReplicas : replicas < currentReplicas;
  return isAgainst ? keep : { replicas, ...about };
}

function isTolerable(ratio: number): boolean {
  return Math.abs(1 - ratio) <= TOLERANCE + 1e-12;
}

/** Compares usage with a target. */
interface Ruler {
  /** Usage of these pods by their target. */
  ratio(values: ReadonlyMap<string, number>): number;
  utilization(values: ReadonlyMap<string, number>): number;
  /** The assumed usage of a pod without figures before the number shrinks. */
  full(name: string): number;
}

function rulerOf(target: ReplicaTarget, pods: readonly Pod[], measured: Measured): Ruler {
  if (target.kind === 'average') {
    return {
      ratio: (values) => sum(values) / values.size / target.milli,
      utilization: () => 0,
      full: () => target.milli,
    };
  }
  const requests = podRequests(pods, measured);
  const utilization = (values: ReadonlyMap<string, number>): number => {
    const requested = [...values.keys()].reduce((total, name) => total + (requests.get(name) ?? 0), 0);
    if (requested === 0) throw new Error('no metrics returned matched known pods');
    return Math.trunc((sum(values) * 100) / requested);
  };
  return {
    ratio: (values) => utilization(values) / target.percent,
    utilization,
    full: (name) => Math.floor(((requests.get(name) ?? 0) * Math.max(100, target.percent)) / 100),
  };
}

function sum(values: ReadonlyMap<string, number>): number {
  return [...values.values()].reduce((total, value) => total + value, 0);
}
