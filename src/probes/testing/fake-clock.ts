import type { Clock } from '../../kube/runtime/clock.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that stands still until it is advanced by hand. */
export class FakeClock implements Clock {
  #now = 0;
  #order = 0;
  readonly #timers = new Set<Timer>();
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal?.aborted === true) {
      reject(signal.reason);
      return promise;
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
    return promise;
  }

  setTimer(ms: number, callback: () => void): () => void {
    this.#order += 1;
    const timer = { at: this.#now + ms, order: this.#order, callback };
    this.#timers.add(timer);
    this.#waiting = this.#waiting.filter(({ count, resolve }) => {
      if (this.#timers.size < count) return true;
      resolve();
      return false;
    });
    return () => this.#timers.delete(timer);
  }

  /** Timers that are set and have not fired: what a test must leave at 0. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Resolves when at least `count` timers are set: whoever is expected to wait does. */
  async untilPending(count: number): Promise<void> {
    if (this.#timers.size >= count) return;
    await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }

  /** Lets `ms` pass: timers fire in order, and what follows from each settles before the next. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const due = [...this.#timers]
        .filter(({ at }) => at <= end)
        .sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.callback();
      await settle();
    }
    this.#now = end;
    await settle();
  }
}

/** Lets everything that is ready run: promises, and what they schedule. */
export async function settle(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
