import type { Clock } from '../../kube/runtime/clock.ts';
import { Refusal } from '../access/refusal.ts';

/** How long an operation may take, by GraphQL as by REST; subscriptions go on. */
const OPERATION_MS = 30_000;

/**
 * Does an operation within its time. What is under way when that is over goes on by itself and is told by its signal; nobody waits for it.
 *
 * @param signal of the request
 * @throws Refusal when it takes too long, and what `work` throws
 */
export async function withinTime<T>(
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const cancel = clock.setTimer(OPERATION_MS, () => limit.abort(tooLong()), { unref: true });
  try {
    return await Promise.race([work(AbortSignal.any([signal, limit.signal])), rejectedBy(limit.signal)]);
  } finally {
    cancel();
  }
}

function tooLong(): Refusal {
  const sentence = `the operation took longer than ${OPERATION_MS / 1000} s and was given up`;
  return new Refusal('timed-out', sentence);
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
