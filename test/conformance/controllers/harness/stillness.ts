/** Nothing for this long counts as the end: longer than any of the recorded cluster's controllers takes for a step. */
const STILL_MS = 2_500;
/** Some things never come to rest, such as a pod that is restarted again and again. */
const LIMIT_MS = 15_000;

/** Tells when nothing has happened for a while; only recordings need it, where nobody knows what is still to come. */
export class Stillness {
  readonly #listeners: Set<() => void>;
  readonly #signal: AbortSignal;

  constructor(listeners: Set<() => void>, signal: AbortSignal) {
    this.#listeners = listeners;
    this.#signal = signal;
  }

  async reached(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let timer = setTimeout(resolve, STILL_MS);
    const limit = setTimeout(resolve, LIMIT_MS);
    const again = (): void => {
      clearTimeout(timer);
      timer = setTimeout(resolve, STILL_MS);
    };
    const onAbort = (): void => reject(this.#signal.reason);
    this.#listeners.add(again);
    this.#signal.addEventListener('abort', onAbort, { once: true });
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      clearTimeout(limit);
      this.#listeners.delete(again);
      this.#signal.removeEventListener('abort', onAbort);
    }
  }
}
