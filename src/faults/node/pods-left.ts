import { isForbidden, unless } from '@turnsole/kube/client/errors';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { InjectionEffect } from '../../api/index.ts';
import { podHasEnded } from '../../chaos/pod-end.ts';
import type { FaultContext } from '../../experiment/injection/fault.ts';
import { chaosRoleOf } from '../../experiment/targets/of-chaos.ts';

/** The uids of the pods that run on a node, chaos' own left out; undefined where not all namespaces may be seen. */
export async function podsRunningOn(
  node: string,
  { client, signal }: FaultContext,
): Promise<readonly string[] | undefined> {
  const fieldSelector = `spec.nodeName=${node}`;
  const pods = await unless(isForbidden, client.list<Pod>(PODS, { fieldSelector, signal }));
  return pods?.items.flatMap((pod) =>
    podHasEnded(pod) || pod.metadata.deletionTimestamp !== undefined || chaosRoleOf(pod) !== undefined
      ? []
      : [pod.metadata.uid ?? ''],
  );
}

/** What the pods of a node say of taints that drive pods away, by those that ran there before and now. Pure. */
export function leavingEffect(before: readonly string[], now: readonly string[]): InjectionEffect {
  const left = before.filter((uid) => !now.includes(uid)).length;
  if (left > 0) return { seen: true, message: `${left} of ${before.length} pods have left the node` };
  return {
    seen: false,
    message:
      before.length === 0
        ? 'there was no pod on the node that could have left; choose another node'
        : `none of the ${before.length} pods on the node has left: they tolerate the taints, or for longer than this lasted`,
  };
}
