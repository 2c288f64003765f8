import assert from 'node:assert/strict';
import { PATIENCE_MS } from './until.ts';

/** Wakes tests that wait for what comes to a stand-in or from a program. */
export class Arrivals {
  readonly #waiters = new Set<() => void>();

  /** Something came, or came to its end. */
  came(): void {
    for (const wake of this.#waiters) wake();
    this.#waiters.clear();
  }

  /**
   * Resolves when something that came makes it so.
   * @throws AssertionError with the problem when nothing does in time
   */
  async until(isSo: () => boolean, problem: () => string): Promise<void> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.came();
    }, PATIENCE_MS);
    try {
      while (!isSo()) {
        if (isLate) assert.fail(problem());
        await new Promise<void>((resolve) => this.#waiters.add(resolve));
      }
    } finally {
      clearTimeout(timer);
    }
  }
}
