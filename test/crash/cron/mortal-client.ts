import { ConnectionError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';

/** Whether the process dies before a write reaches the server, or when it has and the answer has not come back. */
export type Moment = 'before' | 'after';

/** What is told of writes that reached the server. */
export interface Watched {
  created(workflow: string): void;
  terminated(workflow: string): void;
}

/** The client of a process that dies at one of its writes: from then on it reaches nothing and is told nothing. */
export class MortalClient {
  readonly client: KubeClient;
  #isDead = false;
  #writesLeft: number;
  readonly #moment: Moment;

  /** @param writes that succeed before the one it dies at */
  constructor(client: KubeClient, writes: number, moment: Moment, watched: Watched) {
    this.#writesLeft = writes;
    this.#moment = moment;
    const isWrite = (method: string): boolean => ['create', 'patch', 'update', 'delete'].includes(method);
    this.client = new Proxy(client, {
      get: (target, property: keyof KubeClient) => {
        const method = target[property];
        if (typeof method !== 'function') return method;
        const call = method.bind(target) as (...given: unknown[]) => unknown;
        return (...given: unknown[]): unknown => {
          if (this.#isDead) throw this.#gone();
          if (!isWrite(property)) return call(...given);
          return this.#write(async () => {
            const answer = await call(...given);
            if (property === 'create') watched.created(nameOf(answer));
            if (isTermination(given)) watched.terminated(String(given[1]));
            return answer;
          });
        };
      },
    });
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  async #write(send: () => Promise<unknown>): Promise<unknown> {
    const isLast = this.#writesLeft === 0;
    this.#writesLeft -= 1;
    if (isLast) this.#isDead = true;
    if (isLast && this.#moment === 'before') throw this.#gone();
    const answer = await send();
    // Another write may have been the last one while this was under way.
    if (this.#isDead) throw this.#gone();
    return answer;
  }

  #gone(): ConnectionError {
    return new ConnectionError('a request', 'the process is dead');
  }
}

function isTermination(given: readonly unknown[]): boolean {
  return JSON.stringify(given[3] ?? null).includes('"shutdown"');
}

function nameOf(answer: unknown): string {
  const { kind, metadata } = answer as {
    readonly kind?: string;
    readonly metadata: { readonly name: string };
  };
  return kind === 'Workflow' ? metadata.name : '';
}
