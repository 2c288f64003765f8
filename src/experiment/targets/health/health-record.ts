import { isForbidden, isNotFound, unless } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { StatusCheckError } from '../../injection/errors.ts';
import { type Intermediates, type Owner, ownerOf } from '../owner.ts';
import { isCounted } from './judge-pods.ts';
import { WORKLOAD_KINDS, wantedPods } from './workload-kinds.ts';

/** How many healthy pods there were, by the entry of TARGETS and by workload. */
export type HealthRecord = ReadonlyMap<string, readonly WorkloadHealth[]>;

/** The healthy pods of one workload. */
export interface WorkloadHealth {
  readonly namespace: string;
  /** Undefined: pods of no workload. */
  readonly owner: Owner | undefined;
  readonly ready: number;
}

/** Counts the pods of a group by workload. Pure. */
export function countByWorkload(pods: readonly Pod[], observed: Intermediates): WorkloadHealth[] {
  const found = new Map<string, WorkloadHealth>();
  for (const pod of pods.filter(isCounted)) {
    const { namespace = '' } = pod.metadata;
    const owner = ownerOf(pod, observed);
    const key = keyOf({ namespace, owner });
    found.set(key, { namespace, owner, ready: (found.get(key)?.ready ?? 0) + 1 });
  }
  return [...found.values()];
}

function keyOf({ namespace, owner }: Pick<WorkloadHealth, 'namespace' | 'owner'>): string {
  return `${namespace}/${owner?.kind ?? ''}/${owner?.name ?? ''}`;
}

/** A workload that has fewer healthy pods than before. */
interface Shrunk extends WorkloadHealth {
  readonly before: number;
}

/** The workloads that have fewer pods than before, where the group as a whole has fewer. Pure. */
export function shrunkOf(before: readonly WorkloadHealth[], now: readonly WorkloadHealth[]): Shrunk[] {
  const total = (all: readonly WorkloadHealth[]): number => all.reduce((sum, { ready }) => sum + ready, 0);
  // Pods whose workload cannot be told may be those of another replica set than before.
  if (total(now) >= total(before)) return [];
  const present = new Map(now.map((one) => [keyOf(one), one.ready]));
  return before.flatMap((one) => {
    const ready = present.get(keyOf(one)) ?? 0;
    return ready < one.ready ? [{ ...one, ready, before: one.ready }] : [];
  });
}

/** What having fewer pods than before means. */
interface Shrinkage {
  /** It will have more; that is worth waiting for. */
  readonly problem?: string;
  /** It has what it wants, or what it wants is not known. */
  readonly remark?: string;
}

/** Judges a workload that shrank by how many pods it wants now; `unknown` where its kind does not say or it may not be read. Pure. */
export function judgeShrunk(
  { namespace, owner, ready, before }: Shrunk,
  wanted: number | 'unknown',
): Shrinkage {
  const pods = (count: number): string => `${count} ready ${count === 1 ? 'pod' : 'pods'}`;
  if (owner === undefined) {
    return { remark: `${pods(ready)} without a workload in namespace ${namespace}, ${before} before chaos` };
  }
  const name = `${owner.kind} ${namespace}/${owner.name}`;
  if (wanted === 'unknown') {
    return {
      remark: `${name} has ${pods(ready)}, ${before} before chaos; how many it wants is not known`,
    };
  }
  if (ready < wanted) return { problem: `${name} has ${pods(ready)} of ${wanted} that it wants` };
  return { remark: `${name} has ${pods(ready)}, ${before} before chaos, because it wants no more now` };
}

/**
 * Judges all that shrank by the workloads as they are now.
 *
 * @throws StatusCheckError for a workload that was deleted: waiting would not bring it back
 */
export async function judgeAllShrunk(
  client: KubeClient,
  shrunk: readonly Shrunk[],
  signal: AbortSignal,
): Promise<readonly Shrinkage[]> {
  return Promise.all(shrunk.map(async (one) => judgeShrunk(one, await wantedBy(client, one, signal))));
}

async function wantedBy(
  client: KubeClient,
  { namespace, owner }: WorkloadHealth,
  signal: AbortSignal,
): Promise<number | 'unknown'> {
  const resource = WORKLOAD_KINDS.get(owner?.kind ?? '');
  if (owner === undefined || resource === undefined) return 'unknown';
  // An account that only hits pods need not read workloads.
  const workload = await unless(
    (error) => isForbidden(error) || isNotFound(error),
    client.find(resource, owner.name, { namespace, signal }).then((found) => ({ found })),
  );
  if (workload === undefined) return 'unknown';
  if (workload.found === undefined) {
    // A replica set is replaced by another one in a rollout; its deployment was not deleted for that.
    if (owner.kind === 'replicaset' || owner.kind === 'replicationcontroller') return 'unknown';
    throw new StatusCheckError(
      `the application is not healthy after chaos: ${owner.kind} ${namespace}/${owner.name} was deleted meanwhile; ` +
        'deploy it again',
    );
  }
  return wantedPods(workload.found) ?? 'unknown';
}
