import { Backoff } from '@turnsole/kube/base/backoff';
import { isConflict, isNotFound } from '@turnsole/kube/client/errors';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { WorkerContext } from './worker-context.ts';

const BACKOFF = { baseMs: 100, maxMs: 5_000, jitter: 'equal' } as const;

/**
 * Removes the object of a pod that is dead, and only that incarnation of it; tries again until it is gone or the signal
 * aborts. Never rejects.
 */
export async function removeObject(
  { metadata }: Pod,
  { client, clock, onError }: Pick<WorkerContext, 'client' | 'clock' | 'onError'>,
  signal: AbortSignal,
): Promise<void> {
  const { name, namespace = '', uid = '' } = metadata;
  const backoff = new Backoff(BACKOFF);
  const options = { namespace, gracePeriodSeconds: 0, preconditions: { uid }, signal };
  while (!signal.aborted) {
    try {
      await client.delete(PODS, name, options);
      return;
    } catch (error) {
      // A conflict: another pod has the name by now.
      if (isNotFound(error) || isConflict(error) || signal.aborted) return;
      onError(error, 'pod deletion');
      await clock.sleep(backoff.next(), signal).catch(() => {});
    }
  }
}
