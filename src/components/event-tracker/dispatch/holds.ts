import { backoffDelayMs } from '@turnsole/kube/base/backoff';
import type { Random } from '@turnsole/kube/base/clock';

const BACKOFF = { baseMs: 1_000, maxMs: 300_000, jitter: 'equal' } as const;

/** Until when what failed is not tried again; in memory, as a start may try at once. */
export class Holds {
  readonly #random: Random;
  /** Milliseconds that only go forward. */
  readonly #monotonic: () => number;
  readonly #holds = new Map<string, { readonly failures: number; readonly until: number }>();

  constructor(random: Random, monotonic: () => number) {
    this.#random = random;
    this.#monotonic = monotonic;
  }

  /** Milliseconds until it may be tried; 0: now. */
  waitMs(key: string): number {
    return Math.max(0, (this.#holds.get(key)?.until ?? 0) - this.#monotonic());
  }

  /** Notes a failure. @param leastMs what the other side has asked for */
  hold(key: string, leastMs = 0): void {
    const failures = (this.#holds.get(key)?.failures ?? 0) + 1;
    const delayMs = Math.max(leastMs, backoffDelayMs(failures, BACKOFF, this.#random));
    this.#holds.set(key, { failures, until: this.#monotonic() + delayMs });
  }

  release(key: string): void {
    this.#holds.delete(key);
  }
}
