import type { Clock } from '../../kube/runtime/clock.ts';

/** Lets one loop rest until something happens. A call of `wake` while it works is not lost: its next rest ends at once. */
export class Wake {
  readonly #clock: Clock;
  #isWoken = false;
  #resolve = (): void => {};

  constructor(clock: Clock) {
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
      signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      cancel();
    }
    this.#isWoken = false;
  }
}
