import type { Deployment, ReplicaSet } from '@turnsole/kube/kinds/core';
import { resolveIntOrPercent } from '../shared/int-or-percent.ts';
import { annotatedMaxReplicas, byCreation } from './revisions.ts';

/** The bounds of a rolling update in pods. */
interface RolloutBounds {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** `spec.replicas` with its default. */
export function wantedReplicas(object: Deployment | ReplicaSet): number {
  return object.spec?.replicas ?? 1;
}

/** Whether pods are replaced little by little (the default), and not all at once. */
export function isRollingUpdate(deployment: Deployment): boolean {
  return (deployment.spec?.strategy?.type ?? 'RollingUpdate') === 'RollingUpdate';
}

/**
 * Surge and unavailability in pods: surge rounds up, unavailability down, and at least one pod may be unavailable when
 * both come out as nothing, else no update could ever move. Recreate has neither.
 */
export function rolloutBounds(deployment: Deployment): RolloutBounds {
  if (!isRollingUpdate(deployment)) return { maxSurge: 0, maxUnavailable: 0 };
  const replicas = wantedReplicas(deployment);
  const { maxSurge = '25%', maxUnavailable = '25%' } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const surge = resolveIntOrPercent(maxSurge, replicas, 'up');
  const unavailable = resolveIntOrPercent(maxUnavailable, replicas, 'down');
  const atLeastOne = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { maxSurge: surge, maxUnavailable: Math.min(atLeastOne, replicas) };
}

function total(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, set) => sum + wantedReplicas(set), 0);
}

function available(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, set) => sum + (set.status?.availableReplicas ?? 0), 0);
}

/** New size of the replica set of the present template: as large as surge allows, at once when the strategy is Recreate. */
export function currentSetSize(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): number {
  const wanted = wantedReplicas(deployment);
  const present = current === undefined ? 0 : wantedReplicas(current);
  if (!isRollingUpdate(deployment) || present >= wanted) return wanted;
  const room = wanted + rolloutBounds(deployment).maxSurge - total(old) - present;
  return room <= 0 ? present : present + Math.min(room, wanted - present);
}

/** New sizes by name; sets that keep their size are not in it. */
export type Sizes = ReadonlyMap<string, number>;

/**
 * How far the old sets may shrink during a rolling update: first pods that are not available anyway, then as many as keep the
 * minimum available.
 */
export function oldSetSizes(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): Sizes {
  const sizes = new Map<string, number>();
  if (total(old) === 0) return sizes;
  const all = [current, ...old];
  const minAvailable = wantedReplicas(deployment) - rolloutBounds(deployment).maxUnavailable;
  const currentUnavailable = wantedReplicas(current) - (current.status?.availableReplicas ?? 0);
  const removable = total(all) - minAvailable - currentUnavailable;
  if (removable <= 0) return sizes;

  const sorted = old.filter((set) => wantedReplicas(set) > 0).sort(byCreation);
  const sizeOf = (set: ReplicaSet) => sizes.get(set.metadata.name) ?? wantedReplicas(set);
  const shrink = (set: ReplicaSet, by: number) => sizes.set(set.metadata.name, sizeOf(set) - by);

  let unhealthy = removable;
  for (const set of sorted) {
    const broken = Math.min(unhealthy, sizeOf(set) - (set.status?.availableReplicas ?? 0));
    if (broken <= 0) continue;
    shrink(set, broken);
    unhealthy -= broken;
  }
  let spare = available(all) - minAvailable;
  for (const set of sorted) {
    const by = Math.min(spare, sizeOf(set));
    if (by <= 0) continue;
    shrink(set, by);
    spare -= by;
  }
  return sizes;
}

/**
 * Sizes when only the number of replicas changed (or the deployment is paused): one active set takes it all; in the middle
 * of a rolling update the change is shared in proportion, the largest sets getting what rounding leaves.
 */
export function proportionalSizes(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Sizes {
  const wanted = wantedReplicas(deployment);
  const all = current === undefined ? old : [...old, current];
  const active = all.filter((set) => wantedReplicas(set) > 0);
  const single = active.length > 1 ? undefined : (active[0] ?? current ?? [...old].sort(byCreation).at(-1));
  if (single !== undefined) return changed([[single, wanted]]);
  if (current !== undefined && isSaturated(deployment, current)) {
    return changed(old.filter((set) => wantedReplicas(set) > 0).map((set) => [set, 0]));
  }
  if (!isRollingUpdate(deployment)) return new Map();
  return changed(shareOut(deployment, active));
}

function changed(sizes: readonly (readonly [ReplicaSet, number])[]): Sizes {
  return new Map(
    sizes
      .filter(([set, size]) => wantedReplicas(set) !== size)
      .map(([set, size]) => [set.metadata.name, size]),
  );
}

/** Whether the set of the present template has all replicas, wanted, announced and available. */
function isSaturated(deployment: Deployment, current: ReplicaSet): boolean {
  const wanted = wantedReplicas(deployment);
  return (
    wantedReplicas(current) === wanted &&
    current.status?.availableReplicas === wanted &&
    current.status.replicas === wanted
  );
}

function shareOut(deployment: Deployment, active: readonly ReplicaSet[]): (readonly [ReplicaSet, number])[] {
  const wanted = wantedReplicas(deployment);
  const allowed = wanted === 0 ? 0 : wanted + rolloutBounds(deployment).maxSurge;
  const toAdd = allowed - total(active);
  // Large sets first; among equals growing favours the new, shrinking the old.
  const age = toAdd > 0 ? (a: ReplicaSet, b: ReplicaSet) => byCreation(b, a) : byCreation;
  const sorted = [...active].sort((a, b) => wantedReplicas(b) - wantedReplicas(a) || age(a, b));
  let added = 0;
  const sizes = sorted.map((set): [ReplicaSet, number] => {
    const share = toAdd === 0 || added === toAdd ? 0 : clampToward(fraction(deployment, set), toAdd - added);
    added += share;
    return [set, wantedReplicas(set) + share];
  });
  const largest = sizes[0];
  if (largest !== undefined) largest[1] = Math.max(0, largest[1] + toAdd - added);
  return sizes;
}

function clampToward(share: number, left: number): number {
  return left > 0 ? Math.min(share, left) : Math.max(share, left);
}

/** By how much this set would grow if it kept its part of the whole. */
function fraction(deployment: Deployment, set: ReplicaSet): number {
  const wanted = wantedReplicas(deployment);
  if (wanted === 0) return -wantedReplicas(set);
  const whole = wanted + rolloutBounds(deployment).maxSurge;
  const before = annotatedMaxReplicas(set) ?? deployment.status?.replicas ?? 0;
  if (before === 0) return 0;
  return Math.round((wantedReplicas(set) * whole) / before) - wantedReplicas(set);
}
