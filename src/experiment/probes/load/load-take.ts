import type { SentRequest } from './load-plan.ts';

/** The requests of a load that have ended and were not taken yet. */
export class LoadTake {
  #requests: SentRequest[] = [];
  #some = Promise.withResolvers<void>();

  add(request: SentRequest): void {
    this.#requests.push(request);
    this.#some.resolve();
  }

  /** Resolves when there is one. */
  get some(): Promise<void> {
    return this.#some.promise;
  }

  /** Gives them, once. */
  take(): readonly SentRequest[] {
    const taken = this.#requests;
    this.#requests = [];
    this.#some = Promise.withResolvers();
    return taken;
  }
}
