import { type Clock, systemClock } from './clock.ts';

/** Lets one loop rest until something happens. A call of `wake` while it works is not lost: its next rest ends at once. */
export class Wake {
  readonly #clock: Clock;
  #isWoken = false;
  #resolve = (): void => {};

  /** @param clock of rests that have a limit */
  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  readonly wake = (): void => {
    this.#isWoken = true;
    this.#resolve();
  };

  /** Resolves when woken, after `ms` (absent: never), or when the signal aborts. */
  async rest(ms: number | undefined, signal: AbortSignal): Promise<void> {
    if (!this.#isWoken && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#resolve = resolve;
      const cancel = ms === undefined ? () => {} : this.#clock.setTimer(ms, resolve);
      const stop = (): void => resolve();
      signal.addEventListener('abort', stop, { once: true });
      await promise;
      // The signal of a component lives as long as it does, and a loop rests thousands of times.
      signal.removeEventListener('abort', stop);
      cancel();
    }
    this.#isWoken = false;
  }
}
