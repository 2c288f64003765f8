/** How many may wait for their turn, and the message for callers beyond that. */
interface WaitingLimit {
  readonly most: number;
  readonly refusal: () => Error;
}

/** Lets at most so many pieces of work run at a time; further ones wait in order. */
export class Limiter {
  readonly #most: number;
  readonly #waitingLimit: WaitingLimit | undefined;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @param waitingLimit absent: as many as come may wait */
  constructor(most: number, waitingLimit?: WaitingLimit) {
    this.#most = most;
    this.#waitingLimit = waitingLimit;
  }

  /** @throws the refusal of the limit when too many wait already */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await this.#turn();
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next one directly, so that no other caller takes it in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  async #turn(): Promise<void> {
    const limit = this.#waitingLimit;
    if (limit !== undefined && this.#waiting.length >= limit.most) throw limit.refusal();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
