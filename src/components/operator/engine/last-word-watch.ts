import type { Clock } from '@turnsole/kube/base/clock';
import { isForbidden } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { objectKey } from '@turnsole/kube/kinds/core';
import type { Source } from '@turnsole/kube/runtime/controller';
import { CHAOS_RESULTS, type ChaosEngine, type ChaosResult, LABEL_CHAOS_UID } from '../../../api/index.ts';

/** Before a watch that broke is made anew. */
const RETRY_MS = 500;

/** An engine that is being aborted. */
interface Followed {
  readonly key: string;
  hasReceived: boolean;
}

/** The watch of all of them. */
interface Watch {
  readonly end: AbortController;
  /** Never resolves for one that cannot begin. */
  readonly hasBegun: Promise<void>;
}

/**
 * Notices when experiments of engines that are being aborted write their last word (`status.closed` of the result). One watch serves all
 * of these engines, and is open for that long only: results are written often and are large, and nothing else of the operator depends on
 * them.
 */
export class LastWordWatch implements Source {
  readonly #client: Pick<KubeClient, 'list' | 'watch'>;
  readonly #clock: Clock;
  readonly #namespace: string;
  /** By the engine's uid. */
  readonly #followed = new Map<string, Followed>();
  #watch: Watch | undefined;
  /** Undefined while no controller listens: a last pass that ends behind its controller must not begin to watch. */
  #enqueue: ((key: string) => void) | undefined;

  /** @param namespace the operator's; empty for all */
  constructor(client: Pick<KubeClient, 'list' | 'watch'>, clock: Clock, namespace: string) {
    this.#client = client;
    this.#clock = clock;
    this.#namespace = namespace;
  }

  subscribe(enqueue: (key: string) => void): () => void {
    this.#enqueue = enqueue;
    return () => {
      this.#enqueue = undefined;
      for (const uid of [...this.#followed.keys()]) this.leave(uid);
    };
  }

  async whenSynced(): Promise<void> {
    // Nothing has to be complete.
  }

  /** Begins to listen for an engine, while a controller is subscribed. Idempotent. */
  follow(engine: ChaosEngine): void {
    const { uid = '' } = engine.metadata;
    if (this.#enqueue === undefined || this.#followed.has(uid)) return;
    this.#followed.set(uid, { key: objectKey(engine), hasReceived: false });
    if (this.#watch === undefined) this.#begin(engine);
    else void this.#lookBack(engine, this.#watch);
  }

  /** Whether an experiment has, or may have, written its last word since the engine is followed. */
  hasReceived(uid: string): boolean {
    return this.#followed.get(uid)?.hasReceived === true;
  }

  /** Ends to listen for an engine. Idempotent. */
  leave(uid: string): void {
    this.#followed.delete(uid);
    if (this.#followed.size > 0) return;
    this.#watch?.end.abort();
    this.#watch = undefined;
  }

  #receive(uid: string): void {
    const followed = this.#followed.get(uid);
    if (followed === undefined) return;
    followed.hasReceived = true;
    this.#enqueue?.(followed.key);
  }

  #begin(engine: ChaosEngine): void {
    const end = new AbortController();
    const { promise: hasBegun, resolve } = Promise.withResolvers<void>();
    this.#watch = { end, hasBegun };
    void this.#listen(engine, resolve, end.signal);
  }

  /** Never rejects: without the watch, the ends of the pods trigger the next pass. */
  async #listen(engine: ChaosEngine, onBegun: () => void, signal: AbortSignal): Promise<void> {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        const resourceVersion = await this.#read(engine, signal);
        onBegun();
        // Words may have been missed since the last watch broke.
        if (!isFirst) for (const uid of this.#followed.keys()) this.#receive(uid);
        await this.#receiveFrom(resourceVersion, signal);
      } catch (error) {
        if (isForbidden(error)) return;
      }
      await this.#clock.sleep(RETRY_MS, signal).catch(() => {});
    }
  }

  /**
   * Receives the words that were written before an engine is followed: experiments see the stop as soon as the operator does. Never rejects.
   * It reads after the watch has begun, so that no word falls between the two.
   */
  async #lookBack(engine: ChaosEngine, { hasBegun, end }: Watch): Promise<void> {
    await hasBegun;
    await this.#read(engine, end.signal).catch(() => this.#receive(engine.metadata.uid ?? ''));
  }

  /** Receives the words that an engine's results have now; returns the version at which a watch for later ones begins. */
  async #read({ metadata }: ChaosEngine, signal: AbortSignal): Promise<string> {
    const { namespace = '', uid = '' } = metadata;
    const labelSelector = `${LABEL_CHAOS_UID}=${uid}`;
    const list = await this.#client.list<ChaosResult>(CHAOS_RESULTS, { namespace, labelSelector, signal });
    if (list.items.some(hasLastWord)) this.#receive(uid);
    return list.metadata.resourceVersion;
  }

  async #receiveFrom(resourceVersion: string, signal: AbortSignal): Promise<void> {
    const request = {
      namespace: this.#namespace,
      labelSelector: LABEL_CHAOS_UID,
      resourceVersion,
      signal,
    };
    for await (const event of this.#client.watch<ChaosResult>(CHAOS_RESULTS, request)) {
      if (event.type === 'BOOKMARK' || !hasLastWord(event.object)) continue;
      this.#receive(event.object.metadata.labels?.[LABEL_CHAOS_UID] ?? '');
    }
  }
}

function hasLastWord({ status }: ChaosResult): boolean {
  return status?.closed !== undefined;
}
