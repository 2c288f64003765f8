import { objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { podHasEnded } from '../../chaos/pod-end.ts';
import { chaosRoleOf } from '../../experiment/targets/of-chaos.ts';

/** Annotation of pods that the kubelet runs by itself (from a file); the API server cannot make them go. */
const MIRROR_ANNOTATION = 'kubernetes.io/config.mirror';

/** Pods of a node that have to leave it, and why the others stay. */
interface DrainPlan {
  readonly leaving: readonly Pod[];
  /** Pods that are terminating already. */
  readonly going: readonly Pod[];
  /** Names with reasons, of chaos' own pods: what would otherwise have left. */
  readonly spared: readonly string[];
}

/**
 * Sorts the pods of a node as `kubectl drain --ignore-daemonsets --delete-emptydir-data --force` would, with two exceptions: chaos' own
 * pods stay, for they have to take the node back, and pods that have ended stay, for nothing of them runs. Pure.
 */
export function decideDrain(pods: readonly Pod[]): DrainPlan {
  const leaving: Pod[] = [];
  const going: Pod[] = [];
  const spared: string[] = [];
  for (const pod of pods) {
    if (podHasEnded(pod) || isMirror(pod) || isOfDaemonSet(pod)) continue;
    const role = chaosRoleOf(pod);
    if (role !== undefined) spared.push(`${objectKey(pod)} (${role})`);
    else if (pod.metadata.deletionTimestamp !== undefined) going.push(pod);
    else leaving.push(pod);
  }
  return { leaving, going, spared };
}

function isMirror({ metadata }: Pod): boolean {
  return metadata.annotations?.[MIRROR_ANNOTATION] !== undefined;
}

/** They tolerate a cordon: an evicted one would be back at once. */
function isOfDaemonSet({ metadata }: Pod): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ kind, controller }) => kind === 'DaemonSet' && controller === true,
  );
}
