import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** Turns of the event loop given to the code under test after each timer, so that what it woke can set its next timer. */
const SETTLE_TURNS = 3;

/**
 * A clock that stands still until a test moves it.
 *
 * Timers run in the order of their times, and of their creation where the times are equal, so a schedule always
 * plays the same way.
 */
export class FakeClock implements Clock {
  #now: number;
  /** By how much the time of day has been set forward. */
  #setBy = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();
  #waiters: { readonly count: number; readonly resolve: () => void }[] = [];

  constructor(now = Date.parse('2030-01-01T00:00:00Z')) {
    this.#now = now;
  }

  now(): number {
    return this.#now + this.#setBy;
  }

  monotonic(): number {
    return this.#now;
  }

  /** Sets the time of day forward, or back by less than nothing; no timer notices. */
  set(byMs: number): void {
    this.#setBy += byMs;
  }

  setTimer(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), order: this.#order++, callback };
    this.#timers.add(timer);
    this.#notify();
    return () => {
      this.#timers.delete(timer);
    };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const cancel = this.setTimer(ms, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      const onAbort = (): void => {
        cancel();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Number of timers that are set. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Milliseconds until the next timer, or undefined when none is set. */
  get nextInMs(): number | undefined {
    const next = this.#next();
    return next === undefined ? undefined : next.at - this.#now;
  }

  /** Moves time on, running what falls due on the way and letting the event loop turn after each timer. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let timer = this.#next(); timer !== undefined && timer.at <= end; timer = this.#next()) {
      this.#fire(timer);
      await settle();
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Moves time on without letting anything else run in between. */
  advanceSync(ms: number): void {
    const end = this.#now + ms;
    for (let timer = this.#next(); timer !== undefined && timer.at <= end; timer = this.#next()) {
      this.#fire(timer);
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Moves time on and runs nothing: timers that fell due on the way are late, as those of a process that got no processor. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Advances time to the next timer and runs it; false without one. */
  runNext(): boolean {
    const timer = this.#next();
    if (timer === undefined) return false;
    this.#fire(timer);
    return true;
  }

  /** Resolves as soon as at least `count` timers are set: the code under test has come to its wait. */
  untilPending(count: number): Promise<void> {
    if (this.#timers.size >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push({ count, resolve }));
  }

  #next(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (
        first === undefined ||
        timer.at < first.at ||
        (timer.at === first.at && timer.order < first.order)
      ) {
        first = timer;
      }
    }
    return first;
  }

  #fire(timer: Timer): void {
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, timer.at);
    timer.callback();
  }

  #notify(): void {
    const ready = this.#waiters.filter(({ count }) => this.#timers.size >= count);
    this.#waiters = this.#waiters.filter(({ count }) => this.#timers.size < count);
    for (const { resolve } of ready) resolve();
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn++) await nextTurn();
}
