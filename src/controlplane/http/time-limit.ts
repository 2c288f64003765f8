import type { Clock } from '@turnsole/kube/base/clock';
import { unlessAborted } from '@turnsole/kube/base/unless-aborted';
import { describeSpent, PacedLimit, paceSources, type Spent } from '../../process/pace/paced-limit.ts';
import { Refusal } from '../access/refusal.ts';

/** Time limit of an operation, by GraphQL and REST, of which only time with a processor counts; subscriptions have none. */
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
  using limit = new PacedLimit({ limitMs: OPERATION_MS }, tooLong, paceSources(clock));
  const working = Promise.resolve(work(AbortSignal.any([signal, limit.signal])));
  return await unlessAborted(working, limit.signal);
}

function tooLong(spent: Spent): Refusal {
  return new Refusal('timed-out', `the operation was given up after ${describeSpent(spent)}`);
}
