import type { FollowedServices } from '@turnsole/cluster/node/network/followed-services';
import { runNft } from '@turnsole/cluster/node/network/nft';
import { PolicyEnforcer } from '@turnsole/cluster/node/network/policy/policy-enforcer';
import { childrenOf, readOrEmpty } from '@turnsole/kube/base/machine';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Namespace, NetworkPolicy, Pod } from '@turnsole/kube/kinds/core';
import { NAMESPACES, NETWORK_POLICIES } from '@turnsole/kube/kinds/resources';
import { Informer, systemClock } from '@turnsole/kube/runtime/index';
import { parseStat } from '../../../src/experiment/node/container-locator.ts';
import { firstProcessOf } from '../../support/first-process.ts';

/** What the rest of the cluster's network follows. */
export interface FollowedObjects extends FollowedServices {
  readonly pods: Informer<Pod>;
}

/** Where a rig has what policies make exceptions for. */
export interface PolicyPlaces {
  readonly serviceCidr: string;
  /** Of the bridge that pods hang on. */
  readonly gateway: string;
  /** Whom pods ask for names. */
  readonly dns: string;
}

/**
 * Does what a network plug-in with NetworkPolicies does, on a cluster of this machine that has none, by the part that does it on an
 * embedded one. A pod's rules follow when the kubelet tells of its containers, and go with its network namespace.
 *
 * @param onChange who may talk with whom has changed
 */
export async function enforcePolicies(
  client: KubeClient,
  followed: FollowedObjects,
  places: PolicyPlaces,
  onChange: () => void,
): Promise<PolicyEnforcer & AsyncDisposable> {
  const policies = new Informer<NetworkPolicy>({ client, resource: NETWORK_POLICIES });
  const namespaces = new Informer<Namespace>({ client, resource: NAMESPACES });
  for (const informer of [policies, namespaces]) {
    informer.start();
    await informer.whenSynced();
  }
  const enforcer = new PolicyEnforcer({
    ...{ ...followed, ...places, policies, namespaces, onChange },
    apply: runNft,
    clock: systemClock,
    onProblem: ({ metadata }, message) => console.error(`policies of pod ${metadata.name}: ${message}`),
  });
  const known = new Set<string>();
  const follow = async (pod: Pod): Promise<void> => {
    const { uid = '', deletionTimestamp } = pod.metadata;
    const { podIP: address, hostIP: nodeAddress = '', phase } = pod.status ?? {};
    if (pod.spec?.hostNetwork === true) return;
    if (phase !== 'Running' || deletionTimestamp !== undefined || address === undefined) {
      known.delete(uid);
      return enforcer.delete(uid);
    }
    if (known.has(uid)) return;
    known.add(uid);
    // Its processes may end while they are looked for: its containers start again, and the next change of its status brings it here
    // once more, or the pod is deleted.
    const pid = await firstProcessOf(pod).then(pauseOf, () => undefined);
    if (pid === undefined) known.delete(uid);
    else await enforcer.add({ pod, address, pid, nodeAddress });
  };
  const leave = followed.pods.addHandler({
    onAdd: (pod) => void follow(pod),
    onUpdate: (pod) => void follow(pod),
    onDelete: (pod) => void enforcer.delete(pod.metadata.uid ?? ''),
  });
  return Object.assign(enforcer, {
    [Symbol.asyncDispose]: async () => {
      leave();
      await enforcer.close();
      await Promise.all([policies.stop(), namespaces.stop()]);
    },
  });
}

/** The process that keeps a pod's namespaces: containerd's shim has it beside those of the containers. */
function pauseOf(pid: number): number | undefined {
  const shim = parseStat(readOrEmpty(`/proc/${pid}/stat`))?.parentPid;
  if (shim === undefined) return undefined;
  return childrenOf(shim).find((child) => readOrEmpty(`/proc/${child}/comm`).trim() === 'pause');
}
