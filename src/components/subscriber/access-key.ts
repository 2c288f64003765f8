import { messageOf } from '@turnsole/kube/text/error-message';
import { type Confirmation, registeredKey, storeKey, tryRegistration } from './registration.ts';

/** The key of an infrastructure. */
export type AgentKey = Pick<AccessKey, 'value' | 'register' | 'adopt' | 'renew'>;

/** The key of an infrastructure that is confirmed, and whose agent is handed it: it is stored nowhere in the cluster. */
export class GivenKey implements AgentKey {
  value: string;

  constructor(value: string) {
    this.value = value;
  }

  async register(): Promise<void> {}

  async adopt(accessKey: string): Promise<void> {
    this.value = accessKey;
  }

  async renew(): Promise<void> {}
}

type KeyOptions = Parameters<typeof registeredKey>[0];

/**
 * The key of the infrastructure. When the infrastructure is registered anew, the server refuses the old key: then this reads ConfigMap
 * and Secret again, so that the agent need not be restarted after the manifest was applied.
 */
export class AccessKey {
  readonly #options: KeyOptions;
  #value: string;
  #reading: Promise<void> | undefined;

  constructor(options: KeyOptions) {
    this.#options = options;
    this.#value = options.identity.accessKey;
  }

  get value(): string {
    return this.#value;
  }

  /** Resolves when the infrastructure is confirmed. @throws the signal's reason */
  async register(signal: AbortSignal): Promise<void> {
    this.#value = await registeredKey(this.#options, signal);
  }

  /**
   * Takes the key that the server has put in the place of the present one: from now on for every request, and in the Secret as soon as that can be
   * written. @throws the signal's reason
   */
  async adopt(accessKey: string, signal: AbortSignal): Promise<void> {
    this.#value = accessKey;
    await storeKey(this.#options, accessKey, signal);
    this.#options.logger.info(
      'the server has replaced the key of the infrastructure; the Secret has the new one',
    );
  }

  /** Looks for another key, one look at a time; never throws. */
  renew(signal: AbortSignal): Promise<void> {
    this.#reading ??= this.#look(signal).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { logger } = this.#options;
    const before = this.#value;
    const found = await tryRegistration(this.#options, signal).catch(
      (error: unknown): Confirmation => ({ type: 'not-confirmed', why: messageOf(error) }),
    );
    if (found.type === 'not-confirmed') {
      if (!signal.aborted) logger.warn({ detail: found.why }, 'the refused key could not be renewed');
      return;
    }
    if (found.accessKey === this.#value || this.#value !== before) return;
    this.#value = found.accessKey;
    logger.info('the Secret of the infrastructure has another key, which is used from now on');
  }
}
