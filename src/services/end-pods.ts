import { isConflict, isNotFound, unless } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { type WaitListOptions, waitForList } from '@turnsole/kube/runtime/wait';
import { podHasEnded } from '../chaos/pod-end.ts';

/**
 * Waits until deleted pods have ended, and then removes their objects: a kubelet may keep the object of a pod in which nothing
 * runs any more for a minute.
 *
 * @throws WaitTimeoutError when some have not ended in time
 */
export async function endPods(client: KubeClient, options: WaitListOptions): Promise<void> {
  const ended = await waitForList<Pod>(client, PODS, (pods) => pods.every(podHasEnded), options);
  await Promise.all(
    ended.map(async ({ metadata: { name, namespace = '', uid } }) => {
      const preconditions = uid === undefined ? {} : { uid };
      const options = { namespace, gracePeriodSeconds: 0, preconditions };
      await unless((error) => isNotFound(error) || isConflict(error), client.delete(PODS, name, options));
    }),
  );
}
