import { allInOrder } from '@turnsole/kube/base/all-in-order';
import type { Clock } from '@turnsole/kube/base/clock';
import { isConflict, isForbidden, isNotFound } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { LABEL_APP, LABEL_RECOVERY, LABEL_RUN_ID } from '../api/index.ts';
import { helperLabel } from '../chaos/helper-label.ts';
import { podHasEnded } from '../chaos/pod-end.ts';

/** The run whose helpers are ended, and the means to do it. */
interface EndHelpersOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly namespace: string;
  readonly experiment: string;
  readonly runId: string;
}

/** Helpers revert before they end; they have a grace period of 30 s. */
const END_LIMIT_MS = 35_000;

/**
 * Ends the helpers that an experiment which is no more has left at work, and resolves when they have ended: what they do and store
 * cannot change any more then. Those of recoveries go on. An account that may not delete pods only waits: helpers learn by
 * themselves that their run is over. May be called again at any time.
 *
 * @returns how many were at work
 * @throws WaitTimeoutError when some have not ended in 35 s · the signal's reason · ApiError when pods may not be listed
 */
export async function endHelpers(options: EndHelpersOptions): Promise<number> {
  const { client, clock, signal, namespace, experiment, runId } = options;
  const labelSelector = `${LABEL_APP}=${helperLabel(experiment, runId)},!${LABEL_RECOVERY}`;
  const isAtWork = (pod: Pod): boolean =>
    (pod.metadata.labels?.[LABEL_RUN_ID] ?? runId) === runId && !podHasEnded(pod);
  const { items } = await client.list<Pod>(PODS, { namespace, labelSelector, signal });
  const atWork = items.filter(isAtWork);
  if (atWork.length === 0) return 0;
  await allInOrder(
    atWork.map(async ({ metadata: { name, uid } }) => {
      const preconditions = uid === undefined ? {} : { uid };
      try {
        await client.delete(PODS, name, { namespace, signal, preconditions });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error) && !isForbidden(error)) throw error;
      }
    }),
  );
  await waitForList<Pod>(client, PODS, (pods) => !pods.some(isAtWork), {
    namespace,
    labelSelector,
    clock,
    signal,
    timeoutMs: END_LIMIT_MS,
  });
  return atWork.length;
}
