/** Keys whose final entry has been handed over; the latest ones. */
export class Finished {
  readonly #limit: number;
  readonly #keys = new Set<string>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** The oldest first. */
  keys(): Iterable<string> {
    return this.#keys;
  }

  add(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    const [oldest] = this.#keys.size > this.#limit ? this.#keys : [];
    if (oldest !== undefined) this.#keys.delete(oldest);
  }

  /** Forgets that a key is finished: a new entry of it has come after its final one. */
  delete(key: string): void {
    this.#keys.delete(key);
  }
}
