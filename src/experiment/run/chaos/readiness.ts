/** How many pods of a workload were ready, and when. */
import type { Pod } from '@turnsole/kube/kinds/core';
import type { Owner } from '../../targets/owner.ts';

/** A number of ready pods from a moment on. */
export interface ReadyChange {
  readonly atMs: number;
  readonly ready: number;
}

/** The readiness of a workload during chaos. */
export interface Readiness {
  /** Ready pods when it was about to begin. */
  readonly before: number;
  readonly lowest: number;
  /** How long none was ready. */
  readonly noneMs: number;
}

/**
 * Whether a pod belongs to a workload, by its own words alone: ReplicaSets of a Deployment have its name and the hash of their template.
 * Pure.
 */
export function belongsTo({ kind, name, uid }: Owner, { metadata }: Pick<Pod, 'metadata'>): boolean {
  return (metadata.ownerReferences ?? []).some((reference) => {
    if (uid !== undefined && reference.uid === uid) return true;
    if (kind !== 'deployment' && kind !== 'rollout') return false;
    const suffix = reference.name.slice(name.length + 1);
    return (
      reference.kind === 'ReplicaSet' && reference.name.startsWith(`${name}-`) && /^[a-z0-9]+$/.test(suffix)
    );
  });
}

/**
 * The readiness between two moments; undefined when nothing is known of its beginning. Pure.
 *
 * @param beginsMs when chaos was about to begin: pods may be lost before it is known that it did
 */
export function readinessIn(
  changes: readonly ReadyChange[],
  { beginsMs, fromMs, toMs }: { readonly beginsMs: number; readonly fromMs: number; readonly toMs: number },
): Readiness | undefined {
  const at = (ms: number): ReadyChange | undefined =>
    changes.findLast(({ atMs }) => atMs <= ms) ?? changes[0];
  const [before, first] = [at(beginsMs), at(fromMs)];
  if (before === undefined || first === undefined) return undefined;
  const within = changes.filter(({ atMs }) => atMs > fromMs && atMs < toMs);
  const steps = [{ atMs: fromMs, ready: first.ready }, ...within];
  const noneMs = steps.reduce((sum, { atMs, ready }, index) => {
    const untilMs = steps[index + 1]?.atMs ?? toMs;
    return ready === 0 ? sum + Math.max(untilMs - atMs, 0) : sum;
  }, 0);
  return { before: before.ready, lowest: Math.min(...steps.map(({ ready }) => ready)), noneMs };
}
