import type { Clock } from '@turnsole/kube/base/clock';
import { TimeLimit } from '@turnsole/kube/base/time-limit';
import { unlessAborted } from '@turnsole/kube/base/unless-aborted';
import { Refusal } from '../access/refusal.ts';

/** Time limit of an operation, by GraphQL and REST; subscriptions have none. */
const OPERATION_MS = 30_000;

/**
 * Runs an operation within its time limit. After that, the work gets an aborted signal and is no longer awaited.
 *
 * @param signal of the request
 * @throws Refusal if it takes too long, and what `work` throws
 */
export async function withinTime<T>(
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  using limit = new TimeLimit(clock, OPERATION_MS, tooLong);
  const working = Promise.resolve(work(AbortSignal.any([signal, limit.signal])));
  return await unlessAborted(working, limit.signal);
}

function tooLong(): Refusal {
  const sentence = `the operation took longer than ${OPERATION_MS / 1000} s and was given up`;
  return new Refusal('timed-out', sentence);
}
