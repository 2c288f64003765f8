import { type BackoffOptions, backoffDelayMs } from '../base/backoff.ts';
import { type Clock, type Random, systemClock } from '../base/clock.ts';
import { ApiError, isConflict } from '../client/errors.ts';

/** Limits of {@link retryOnConflict}. */
export interface RetryOptions {
  /** @default 8 tries in all */
  readonly attempts?: number;
  readonly signal?: AbortSignal | undefined;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: Random;
}

const DEFAULT_ATTEMPTS = 8;
/** Conflicts are settled by one fresh read; waiting only spreads writers that meet again and again. */
const BACKOFF: BackoffOptions = { baseMs: 10, maxMs: 500 };

/**
 * Runs a read-change-write until it is not overtaken by another writer.
 *
 * @param attempt gets the number of the try, from 1; it must read the object anew from the second on
 * @throws the last conflict when the tries are used up; any other error at once
 */
export async function retryOnConflict<T>(
  attempt: (number: number) => Promise<T>,
  options: RetryOptions = {},
): Promise<T> {
  const { attempts = DEFAULT_ATTEMPTS, signal, clock = systemClock, random = Math.random } = options;
  for (let number = 1; ; number++) {
    signal?.throwIfAborted();
    try {
      return await attempt(number);
    } catch (error) {
      if (!isOvertaken(error) || number >= attempts) throw error;
    }
    await clock.sleep(backoffDelayMs(number, BACKOFF, random), signal);
  }
}

/**
 * A 409 Conflict, or the 422 by which API servers answer a JSON patch whose `test` does not hold: it says no more than
 * that (apimachinery's NewGenericServerResponse), unlike a 422 of validation, which names fields as causes.
 */
function isOvertaken(error: unknown): boolean {
  if (isConflict(error)) return true;
  if (!(error instanceof ApiError) || error.code !== 422) return false;
  const { message = '', details } = error.status;
  return (details?.causes ?? []).length === 0 && /rejected our request|test/i.test(message);
}
