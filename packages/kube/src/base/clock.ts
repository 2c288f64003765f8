import { setTimeout as delay } from 'node:timers/promises';

/** Time as it is injected everywhere: real in production, advanced by hand in tests. */
export interface Clock {
  /** Time of day, in milliseconds since 1970: for what others read. It jumps when the clock is set, and when a machine wakes up. */
  now(): number;
  /** Milliseconds that have gone by since some moment, whatever is done to the time of day: for durations, waits and periods. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back after `ms`; the returned function cancels. Does not keep the process alive when `unref` is true. */
  setTimer(ms: number, callback: () => void, options?: { readonly unref?: boolean }): () => void;
}

/** A random number in [0, 1). */
export type Random = () => number;

/** Node's timers take no more, about 25 days, and fire at once when asked for more. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The machine's clock. Any time may be waited for, also years. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      for (let left = ms; ; left -= MAX_TIMER_MS) {
        await delay(Math.min(left, MAX_TIMER_MS), undefined, signal === undefined ? {} : { signal });
        if (left <= MAX_TIMER_MS) return;
      }
    } catch (error) {
      // Node rejects with an AbortError of its own and puts the reason in its cause.
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
  setTimer: (ms, callback, options) => {
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      const isLast = left <= MAX_TIMER_MS;
      timer = setTimeout(isLast ? callback : () => arm(left - MAX_TIMER_MS), Math.min(left, MAX_TIMER_MS));
      if (options?.unref === true) timer.unref();
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};

/**
 * The machine's clock as it was when the process started, and what has gone by since: it does not jump when the clock is set. For waits and
 * periods; not for times that others compare with theirs.
 */
export const steadyClock: Clock = {
  ...systemClock,
  now: () => performance.timeOrigin + performance.now(),
};
