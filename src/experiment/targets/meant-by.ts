import type { Pod } from '@turnsole/kube/kinds/core';
import { ANY_KIND, type TargetEntry } from '../injection/settings/parse-targets.ts';
import { type Intermediates, type Owner, ownerOf } from './owner.ts';

/**
 * Whether an entry of TARGETS means a pod that its namespace and label have led to: by the kind of the pod's workload. Undefined where the
 * kind is not known, because what stands between both may not be read. Names are not looked at. Pure.
 */
export function isMeantBy(
  { kind, names }: Pick<TargetEntry, 'kind' | 'names'>,
  pod: Pod,
  observed: Intermediates,
): boolean | undefined {
  if (kind === 'pod') return true;
  const owner = ownerOf(pod, observed);
  if (kind === ANY_KIND) return names.length === 0 || owner !== undefined;
  if (owner === undefined) return false;
  if (owner.kind === kind) return true;
  return isBetween(pod, owner, observed) ? undefined : false;
}

/** Whether the owner is only what stands between a pod and its workload, which is not known. */
function isBetween(
  pod: Pod,
  { kind, name }: Owner,
  { replicaSets, replicationControllers }: Intermediates,
): boolean {
  const key = `${pod.metadata.namespace}/${name}`;
  if (kind === 'replicaset') return !replicaSets.has(key);
  return kind === 'replicationcontroller' && !replicationControllers.has(key);
}
