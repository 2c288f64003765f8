/** An address that is given back when its pod is gone. */
export interface AddressLease {
  readonly address: string;
  readonly release: () => void;
}

/** Addresses of pods by number, the least recently used first: a reused address confuses late clients. */
export class AddressPool {
  readonly #size: number;
  readonly #addressOf: (number: number) => string | undefined;
  readonly #range: string;
  readonly #taken = new Set<number>();
  #next = 0;

  /** @param addressOf gives nothing for numbers that no pod may have @param range names them for people */
  constructor(size: number, addressOf: (number: number) => string | undefined, range: string) {
    this.#size = size;
    this.#addressOf = addressOf;
    this.#range = range;
  }

  lease(): AddressLease {
    for (let tried = 0; tried < this.#size; tried++) {
      const number = this.#next;
      this.#next = (this.#next + 1) % this.#size;
      const address = this.#addressOf(number);
      if (address === undefined || this.#taken.has(number)) continue;
      this.#taken.add(number);
      return { address, release: () => this.#taken.delete(number) };
    }
    throw new Error(`no pod address left in ${this.#range}: delete pods`);
  }
}
