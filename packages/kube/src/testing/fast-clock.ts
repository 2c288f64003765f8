import type { Clock } from '../base/clock.ts';

/** How often the time of the process is counted. */
const TICK_MS = 5;
/** What counts of the time between two counts, at most: the rest is the machine's, which let others work. */
const COUNTED_MS = 8;
/** Node's timers take no more. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * A clock that runs faster than the world: an experiment of many seconds takes a moment, against a real server in the same process. It goes
 * by the time in which this process could work. On a machine that gives the process one turn in twenty, the limits of the tested code would
 * otherwise pass by twenty times as fast as its work, on top of the factor.
 */
export function fastClock(factor = 50): Clock {
  const start = Date.now();
  const origin = workedMs();
  const setTimer: Clock['setTimer'] = (ms, callback, options) => {
    const due = workedMs() + ms / factor;
    let timer: NodeJS.Timeout;
    const arm = (left: number): void => {
      timer = setTimeout(fire, Math.min(left, MAX_TIMER_MS));
      if (options?.unref === true) timer.unref();
    };
    const fire = (): void => {
      const left = due - workedMs();
      if (left > 0) arm(left);
      else callback();
    };
    arm(ms / factor);
    return () => clearTimeout(timer);
  };
  return {
    now: () => start + (workedMs() - origin) * factor,
    monotonic: () => (workedMs() - origin) * factor,
    setTimer,
    sleep: (ms, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const cancel = setTimer(ms, () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      });
      const abort = (): void => {
        cancel();
        reject(signal?.reason);
      };
      if (signal?.aborted === true) abort();
      else signal?.addEventListener('abort', abort, { once: true });
      return promise;
    },
  };
}

let counted = 0;
let countedAt = performance.now();
let ticker: NodeJS.Timeout | undefined;

/** Milliseconds since the first call, without those in which the process waited for its turn. */
function workedMs(): number {
  if (ticker === undefined) {
    ticker = setInterval(() => {
      counted = workedMs();
      countedAt = performance.now();
    }, TICK_MS).unref();
  }
  return counted + Math.min(performance.now() - countedAt, COUNTED_MS);
}
