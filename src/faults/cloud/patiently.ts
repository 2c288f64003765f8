import { Backoff } from '@turnsole/kube/base/backoff';
import type { Clock, Random } from '@turnsole/kube/base/clock';
import { isCloudError } from './cloud-error.ts';

/** Limits of a call that is tried again. */
interface Patience {
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** After this time no further try of what was throttled begins. */
  readonly limitMs: number;
  /** The same of what had no answer. @default as of what was throttled */
  readonly awayMs?: number;
}

const PAUSES = { baseMs: 500, maxMs: 20_000, jitter: 'equal' } as const;

/**
 * Tries again what was throttled or had no answer, not before the API wants to be asked again.
 *
 * @throws the error of the last try, when the limit is over or another try would not help · the signal's reason
 */
export async function patiently<T>(
  attempt: () => Promise<T>,
  { clock, random, signal, limitMs, awayMs = limitMs }: Patience,
): Promise<T> {
  const startedAt = clock.monotonic();
  const pauses = new Backoff(PAUSES, random);
  for (;;) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      signal.throwIfAborted();
      const asked = isCloudError(error) ? error.pauseMs : 0;
      const pause = Math.max(pauses.next(), asked);
      const limit = isCloudError(error, 'throttled')
        ? limitMs
        : isCloudError(error, 'unavailable')
          ? awayMs
          : 0;
      if (clock.monotonic() - startedAt + pause >= limit) throw error;
      await clock.sleep(pause, signal);
    }
  }
}
