import { Backoff } from '@turnsole/kube/base/backoff';
import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { isPassing } from './failures.ts';

const MOST_TRIES = 6;

/** Does something that may fail in passing, up to six times within about half a minute. */
export async function again<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<T> {
  const backoff = new Backoff({ baseMs: 1000, maxMs: 15_000, jitter: 'equal' });
  for (;;) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!isPassing(error) || backoff.failures >= MOST_TRIES - 1) throw error;
      await clock.sleep(backoff.next(), signal);
    }
  }
}
