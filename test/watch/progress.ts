/** How many writes were made: what readers' patience is counted in, so that no clock is needed. */
export class Progress {
  #writes = 0;
  #isDone = false;
  #waiting: { readonly at: number; readonly tell: () => void }[] = [];

  get isDone(): boolean {
    return this.#isDone;
  }

  /** One more write was made. */
  count(): void {
    this.#writes += 1;
    this.#tell();
  }

  /** All writes were made. */
  finish(): void {
    this.#isDone = true;
    this.#tell();
  }

  /** Aborts after so many more writes, or when there are no more. */
  after(writes: number): AbortSignal {
    const controller = new AbortController();
    this.#when(writes, () => controller.abort());
    return controller.signal;
  }

  /** Resolves after so many more writes, or when there are no more. */
  untilAfter(writes: number): Promise<void> {
    return new Promise((resolve) => this.#when(writes, resolve));
  }

  #when(writes: number, tell: () => void): void {
    if (this.#isDone) tell();
    else this.#waiting.push({ at: this.#writes + writes, tell });
  }

  #tell(): void {
    const ready = this.#waiting.filter(({ at }) => this.#isDone || at <= this.#writes);
    this.#waiting = this.#waiting.filter((waiter) => !ready.includes(waiter));
    for (const { tell } of ready) tell();
  }
}
