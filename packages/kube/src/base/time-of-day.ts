/**
 * Waits for moments of the day. Timers count what goes by: while a machine sleeps they stand still, and they do not notice when its clock is
 * set. A timer of an hour for a token that expires at noon rings long after noon then.
 */
import type { Clock } from './clock.ts';

/** How long the time of day may have been set before a wait notices. */
export const LOOK_EVERY_MS = 10_000;
/** Clocks of one machine differ by less; what is more is a leap. */
const LEAP_MS = 500;

/**
 * Calls back once the clock shows a moment, also where it is set, or the machine sleeps meanwhile; then up to {@link LOOK_EVERY_MS} late.
 *
 * @param atMs milliseconds since 1970
 * @returns ends the wait
 */
export function atTimeOfDay(
  clock: Pick<Clock, 'now' | 'setTimer'>,
  atMs: number,
  callback: () => void,
  options?: Parameters<Clock['setTimer']>[2],
): () => void {
  let cancel = (): void => {};
  const look = (): void => {
    if (clock.now() >= atMs) callback();
    else arm();
  };
  const arm = (): void => {
    const ms = Math.min(Math.max(0, atMs - clock.now()), LOOK_EVERY_MS);
    cancel = clock.setTimer(ms, look, options);
  };
  arm();
  return () => cancel();
}

/**
 * The time for delays of which it is not known whether they stand for a moment of the day: it goes on evenly, leaps forward with the time of
 * day, and not back. What waits by it is never late, and early only after a leap.
 */
export class ForwardTime {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  #offsetMs: number;
  #leaptMs = 0;

  constructor(clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#clock = clock;
    this.#offsetMs = clock.now() - clock.monotonic();
  }

  now(): number {
    const goneMs = this.#clock.monotonic();
    const offsetMs = this.#clock.now() - goneMs;
    if (offsetMs - this.#offsetMs > LEAP_MS) this.#leaptMs += offsetMs - this.#offsetMs;
    this.#offsetMs = offsetMs;
    return goneMs + this.#leaptMs;
  }
}
