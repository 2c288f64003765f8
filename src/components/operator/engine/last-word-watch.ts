import {
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  LABEL_CHAOS_UID,
  objectKey,
} from '../../../api/index.ts';
import { isForbidden } from '../../../kube/client/errors.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import type { Clock } from '../../../kube/runtime/clock.ts';
import type { Source } from '../../../kube/runtime/controller.ts';

/** Watches at a time: when more engines are aborted at once, the operator learns the end of the others from their pods. */
const MAX_WATCHES = 50;
/** Before a watch that broke is made anew. */
const RETRY_MS = 500;

/**
 * Notices when experiments of engines that are being aborted write their last word (`status.closed` of the result). Results are watched
 * for that long only: they are written often and are large, and nothing else of the operator depends on them.
 */
export class LastWordWatch implements Source {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  /** By the engine's uid. */
  readonly #watches = new Map<string, { readonly end: AbortController; hasReceived: boolean }>();
  /** Undefined while no controller listens: a last pass that ends behind its controller must not begin to watch. */
  #enqueue: ((key: string) => void) | undefined;

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  subscribe(enqueue: (key: string) => void): () => void {
    this.#enqueue = enqueue;
    return () => {
      this.#enqueue = undefined;
      for (const uid of [...this.#watches.keys()]) this.leave(uid);
    };
  }

  async whenSynced(): Promise<void> {
    // Nothing has to be complete.
  }

  /** Begins to listen for an engine, while a controller is subscribed. Idempotent. */
  follow(engine: ChaosEngine): void {
    const { uid = '' } = engine.metadata;
    if (this.#enqueue === undefined || this.#watches.has(uid) || this.#watches.size >= MAX_WATCHES) return;
    const watch = { end: new AbortController(), hasReceived: false };
    this.#watches.set(uid, watch);
    const onWord = (): void => {
      watch.hasReceived = true;
      this.#enqueue?.(objectKey(engine));
    };
    void this.#listen(engine, onWord, watch.end.signal);
  }

  /** Whether an experiment has written its last word since the engine is followed. */
  hasReceived(uid: string): boolean {
    return this.#watches.get(uid)?.hasReceived === true;
  }

  /** Ends to listen for an engine. Idempotent. */
  leave(uid: string): void {
    this.#watches.get(uid)?.end.abort();
    this.#watches.delete(uid);
  }

  /** Never rejects: without the watch, the ends of the pods trigger the next pass. */
  async #listen({ metadata }: ChaosEngine, onWord: () => void, signal: AbortSignal): Promise<void> {
    const { namespace = '', uid = '' } = metadata;
    const request = { namespace, labelSelector: `${LABEL_CHAOS_UID}=${uid}`, signal };
    while (!signal.aborted) {
      try {
        // Without a version a watch begins with the existing objects.
        for await (const event of this.#client.watch<ChaosResult>(CHAOS_RESULTS, request)) {
          if (event.type !== 'BOOKMARK' && event.object.status?.closed !== undefined) onWord();
        }
      } catch (error) {
        if (isForbidden(error)) return;
      }
      await this.#clock.sleep(RETRY_MS, signal).catch(() => {});
    }
  }
}
