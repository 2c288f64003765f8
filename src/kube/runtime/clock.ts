import { setTimeout as delay } from 'node:timers/promises';

/** Time as it is injected everywhere: real in production, advanced by hand in tests. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back after `ms`; the returned function cancels. Does not keep the process alive when `unref` is true. */
  setTimer(ms: number, callback: () => void, options?: { readonly unref?: boolean }): () => void;
}

/** A random number in [0, 1). */
export type Random = () => number;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      // Node rejects with an AbortError of its own and puts the reason in its cause.
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
  setTimer: (ms, callback, options) => {
    const timer = setTimeout(callback, ms);
    if (options?.unref === true) timer.unref();
    return () => clearTimeout(timer);
  },
};
