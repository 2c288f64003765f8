import type { KubeClient } from '@turnsole/kube/client/types';

/** What a dead process hears of its own calls. */
class DeadError extends Error {
  override readonly name = 'DeadError';
}

/** When a life ends. */
export interface Death {
  /** At this call of the ones that matter, from 1; undefined: never. */
  readonly atCall: number | undefined;
  /** Whether that call is carried out, and only its answer does not come. */
  readonly isAfter: boolean;
}

const MORTAL = ['get', 'find', 'create', 'update', 'patch', 'delete'] as const;

/**
 * A client that dies at a call, as its process would: from then on nothing that it is asked for is done. Lists and watches are not
 * counted: where they end says nothing about what is stored.
 */
export class MortalClient {
  readonly client: KubeClient;
  readonly #death: Death;
  readonly #died = Promise.withResolvers<void>();
  #calls = 0;
  #isDead = false;

  constructor(client: KubeClient, death: Death) {
    this.#death = death;
    const calls = MORTAL.map((name) => [name, this.#mortal(client[name].bind(client))]);
    const rest = {
      list: client.list.bind(client),
      watch: client.watch.bind(client),
      close: () => {},
    };
    // What the tracker calls; of everything else there is nothing.
    this.client = { ...rest, ...Object.fromEntries(calls) } as unknown as KubeClient;
  }

  /** Resolves when it has died. */
  get died(): Promise<void> {
    return this.#died.promise;
  }

  /** Ends it now. */
  die(): void {
    this.#isDead = true;
    this.#died.resolve();
  }

  #mortal(call: (...given: never[]) => Promise<unknown>): (...given: never[]) => Promise<unknown> {
    return async (...given) => {
      this.#check();
      this.#calls += 1;
      const isLast = this.#calls === this.#death.atCall;
      if (isLast && !this.#death.isAfter) this.die();
      this.#check();
      const answer = await call(...given);
      if (isLast) this.die();
      this.#check();
      return answer;
    };
  }

  #check(): void {
    if (this.#isDead) throw new DeadError('the process has been killed');
  }
}
