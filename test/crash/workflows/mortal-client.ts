import type { KubeClient } from '@turnsole/kube/client/types';

/** Where in a request its process dies. */
export interface Death {
  /** The request, counted from 1, that the process does not survive. */
  readonly request: number;
  /** Whether the server still gets and answers it; the process never sees the answer. */
  readonly isSent: boolean;
}

/** Methods that hand something out bit by bit. */
const STREAMS = new Set(['watch', 'logLines']);

/**
 * The client of a process that is killed at one of its requests: from then on nothing that it asks reaches the server, and no answer
 * reaches it, whatever the code around goes on doing.
 */
export class MortalClient {
  readonly client: KubeClient;
  /** Resolves when the process is dead. */
  readonly died: Promise<void>;
  readonly #grave = new AbortController();
  readonly #buried = Promise.withResolvers<void>();
  #requests = 0;

  constructor(living: KubeClient, death: Death | undefined) {
    this.died = this.#buried.promise;
    this.client = new Proxy(living, {
      get: (target, key) => {
        const method: unknown = Reflect.get(target, key);
        if (typeof method !== 'function' || key === 'close') return method;
        const call = (...args: unknown[]): unknown => Reflect.apply(method, target, args);
        if (STREAMS.has(String(key))) return (...args: unknown[]) => this.#stream(call, args);
        return (...args: unknown[]) => this.#request(call, args, death);
      },
    });
  }

  get isDead(): boolean {
    return this.#grave.signal.aborted;
  }

  kill(): void {
    this.#grave.abort(new Error('this process is dead'));
    this.#buried.resolve();
  }

  async #request(
    call: (...args: unknown[]) => unknown,
    args: readonly unknown[],
    death: Death | undefined,
  ): Promise<unknown> {
    this.#grave.signal.throwIfAborted();
    this.#requests += 1;
    const isLast = death !== undefined && this.#requests === death.request;
    if (isLast && !death.isSent) this.kill();
    this.#grave.signal.throwIfAborted();
    try {
      return await call(...args);
    } finally {
      if (isLast) this.kill();
      // What was under way when the process died was done, but nobody is there to hear of it.
      this.#grave.signal.throwIfAborted();
    }
  }

  async *#stream(call: (...args: unknown[]) => unknown, args: readonly unknown[]): AsyncGenerator<unknown> {
    this.#grave.signal.throwIfAborted();
    const [first, second] = args;
    // The last argument is the options.
    const options = (args.length === 1 ? {} : second) as { readonly signal?: AbortSignal };
    const signals = [this.#grave.signal, options.signal].filter((signal) => signal !== undefined);
    for await (const item of call(first, {
      ...options,
      signal: AbortSignal.any(signals),
    }) as AsyncIterable<unknown>) {
      this.#grave.signal.throwIfAborted();
      yield item;
    }
  }
}
