/**
 * Wakes parts of this process that wait for a commit. A topic is a text such as `project:<id>`, without further data: the woken part
 * reads the database.
 */
export class WakeUps {
  readonly #waiters = new Map<string, Set<() => void>>();

  /** Calls `wake` at each notification of the topic. @returns removes it */
  on(topic: string, wake: () => void): () => void {
    const waiters = this.#waiters.get(topic) ?? new Set();
    waiters.add(wake);
    this.#waiters.set(topic, waiters);
    return () => {
      waiters.delete(wake);
      if (waiters.size === 0 && this.#waiters.get(topic) === waiters) this.#waiters.delete(topic);
    };
  }

  wake(topic: string): void {
    for (const wake of [...(this.#waiters.get(topic) ?? [])]) wake();
  }

  /** Wakes all, after an interruption in which notifications may have been lost. */
  wakeAll(): void {
    for (const topic of [...this.#waiters.keys()]) this.wake(topic);
  }
}
