import type { OwnerReference, Pod, StatefulSet } from '@turnsole/kube/kinds/core';
import { PODS, STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import { controllerOf, ownerReference } from '@turnsole/kube/runtime/index';
import type { PersistentVolumeClaim } from '../shared/types.ts';
import { startOrdinal } from './identity.ts';

/**
 * The owners a pod's claim should have, so that the garbage collector removes it as the set's
 * `persistentVolumeClaimRetentionPolicy` demands: with the set (`whenDeleted`), or with a pod that is beyond the replicas
 * (`whenScaled`); `undefined` when it has them. References to other owners stay, and so does a claim that others manage.
 */
export function wantedOwners(
  set: StatefulSet,
  pod: Pod,
  ordinal: number,
  claim: PersistentVolumeClaim,
): OwnerReference[] | undefined {
  const present = claim.metadata.ownerReferences ?? [];
  const ours = new Set([set.metadata.uid, pod.metadata.uid]);
  const manager = controllerOf(claim);
  if (manager !== undefined && !ours.has(manager.uid)) return undefined;
  const owner = decideOwner(set, pod, ordinal);
  const isRight =
    present.filter(({ uid }) => ours.has(uid)).length === (owner === undefined ? 0 : 1) &&
    (owner === undefined || present.some(({ uid }) => uid === owner.uid));
  if (isRight) return undefined;
  const others = present.filter(({ uid }) => !ours.has(uid));
  return owner === undefined ? others : [...others, owner];
}

function decideOwner(set: StatefulSet, pod: Pod, ordinal: number): OwnerReference | undefined {
  const { whenDeleted, whenScaled } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const isBeyond = ordinal >= startOrdinal(set) + (set.spec?.replicas ?? 1) || ordinal < startOrdinal(set);
  if (whenScaled === 'Delete' && isBeyond) return ownerReference(PODS, pod);
  return whenDeleted === 'Delete' ? ownerReference(STATEFUL_SETS, set) : undefined;
}

/** Whether the claim is about to go with an earlier pod of the same name, so that no new pod may take it over. */
export function goesWithEarlierPod(claim: PersistentVolumeClaim): boolean {
  return claim.metadata.deletionTimestamp !== undefined || controllerOf(claim)?.kind === PODS.kind;
}
