/** The network of the pod that an injection is about: seen through the API when it is planned, found on its node when it is hit. */

import type { Pod } from '@turnsole/kube/kinds/core';
import { isActive } from '@turnsole/kube/kinds/pod-phase';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { InjectionTarget } from '../../api/index.ts';
import { InjectError, RevertError } from '../../experiment/injection/errors.ts';
import type { FaultContext, Injection, ObservedTarget } from '../../experiment/injection/fault.ts';
import { objectOf } from '../../experiment/injection/ledger/ledger-steps.ts';
import { containerStatus } from '../../experiment/targets/container-status.ts';
import { findPodNetwork } from './pod-network.ts';

/** The facts that `plan` needs about a pod whose network is to be changed. */
interface ObservedNetwork {
  readonly uid: string | undefined;
  readonly hostNetwork: boolean;
  /** Id of the container: the helper finds the processes on the node by it. */
  readonly containerId: string | undefined;
}

/** The pod of a target as it is now. */
export function readTargetPod(
  { name, namespace }: InjectionTarget,
  { client, signal }: FaultContext,
): Promise<Pod> {
  return client.get<Pod>(PODS, name, { namespace, signal });
}

/** The facts about the pod of a target. Pure. */
export function observedNetwork(pod: Pod, target: InjectionTarget): ObservedNetwork {
  return {
    uid: pod.metadata.uid,
    hostNetwork: pod.spec?.hostNetwork === true,
    containerId: containerStatus(pod, target)?.containerID,
  };
}

/**
 * Refuses pods that are not the chosen one, or that share the network of their node. Pure.
 *
 * @throws InjectError
 */
export function assertNetworkUsable(
  fault: string,
  { observed = {}, namespace, name, uid }: ObservedTarget,
): void {
  const what = `cannot inject ${fault} into pod ${namespace}/${name}`;
  if (observed.uid !== uid) throw new InjectError(`${what}: it was replaced by another one of the same name`);
  if (observed.hostNetwork === true) {
    throw new InjectError(
      `${what}: it has hostNetwork, so that its whole node would be hit; choose other pods`,
    );
  }
}

/** A process on this node that is in the pod's network; undefined when none is left. */
export function findTargetNetwork({
  target,
  parameters: { containerId },
}: Injection): ReturnType<typeof findPodNetwork> {
  return findPodNetwork(target.uid, typeof containerId === 'string' ? containerId : undefined);
}

/**
 * The same where it has to be there.
 *
 * @throws InjectError
 */
export async function targetNetwork(
  injection: Injection,
): Promise<NonNullable<Awaited<ReturnType<typeof findPodNetwork>>>> {
  const network = await findTargetNetwork(injection);
  if (network !== undefined) return network;
  throw new InjectError(
    `cannot find ${objectOf(injection.target)} on this node: none of its processes is left`,
  );
}

/**
 * Nothing of the pod is on this node: right only if the pod has ended or is being deleted, for then its network is gone too.
 *
 * @throws RevertError when the pod goes on, and so does what was done to it
 */
export async function assertTargetGone(
  { target }: Injection,
  { client, signal }: FaultContext,
): Promise<void> {
  const { name, namespace, uid } = target;
  const pod = await client.find<Pod>(PODS, name, { namespace, signal });
  if (pod === undefined || pod.metadata.uid !== uid || !isActive(pod)) return;
  throw new RevertError(
    `cannot find the network of ${objectOf(target)} on this node although the pod is there; the helper has to run on ` +
      `node ${target.node ?? '?'} with hostPID`,
  );
}
