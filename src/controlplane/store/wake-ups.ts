/**
 * Tells parts of this process that something was committed which they wait for. A topic is a text such as `project:<id>`; nothing else is
 * carried: who is woken reads the database.
 */
export class WakeUps {
  readonly #waiters = new Map<string, Set<() => void>>();

  /** Calls `wake` whenever the topic is told of. @returns ends it */
  on(topic: string, wake: () => void): () => void {
    const waiters = this.#waiters.get(topic) ?? new Set();
    waiters.add(wake);
    this.#waiters.set(topic, waiters);
    return () => {
      waiters.delete(wake);
      if (waiters.size === 0 && this.#waiters.get(topic) === waiters) this.#waiters.delete(topic);
    };
  }

  tell(topic: string): void {
    for (const wake of [...(this.#waiters.get(topic) ?? [])]) wake();
  }

  /** After an interruption in which news may have been lost: everybody looks. */
  tellAll(): void {
    for (const topic of [...this.#waiters.keys()]) this.tell(topic);
  }
}
