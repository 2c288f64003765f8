import { Backoff } from '../base/backoff.ts';
import { type Clock, type Random, systemClock } from '../base/clock.ts';
import { type Logger, silentLogger } from '../base/log.ts';
import { unlessAborted } from '../base/unless-aborted.ts';
import { isRefused } from '../client/errors.ts';
import type { KubeClient, WatchEvent } from '../client/types.ts';
import type { KubeObject } from '../kinds/core.ts';
import type { Resource } from '../kinds/resources.ts';
import { decideNextStep, type InformerStep, type StepOutcome } from './informer-step.ts';
import { type Change, ObjectCache } from './object-cache.ts';
import { newerResourceVersion } from './resource-version.ts';
import { IndexedStore, type IndexFunction, type Lister } from './store.ts';

/** The resource that an informer follows, and the means. */
export interface InformerOptions<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  readonly resource: Resource;
  /** @default all namespaces */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Named indexes of the lister. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** Applied to each object before it is kept. @default drops managedFields, which are not read and weigh most */
  readonly transform?: (object: T) => T;
  /** Objects that a list asks for at a time: fewer where they are large and little of each is kept. @default that of the client */
  readonly pageSize?: number;
  /** @default 90_000. A watch without items and bookmarks for this long is opened anew; servers send a bookmark a minute. */
  readonly stallMs?: number;
  /** @default the machine's clock */
  readonly clock?: Clock;
  /** @default Math.random */
  readonly random?: Random;
  readonly logger?: Logger;
}

/** Callbacks of a subscriber; each is optional. They are called in order, never two at a time, and must not block. */
export interface InformerHandler<T extends KubeObject> {
  /** @param isInitial the object was there before the subscriber came or the first list was complete */
  onAdd?(object: T, isInitial: boolean): void;
  onUpdate?(object: T, old: T): void;
  /** @param object the last known state */
  onDelete?(object: T): void;
}

/** Where an informer stands: a step of its work, or before and after it. */
type InformerState = InformerStep['name'] | 'idle' | 'stopped';

const BACKOFF = { baseMs: 200, maxMs: 30_000 } as const;
const DEFAULT_STALL_MS = 90_000;
/** The informer asks the server to end watches after 5 to 10 minutes, spread so that they do not all reopen at once. */
const MIN_WATCH_SECONDS = 300;
/** A watch that ends within this time without a word counts as a failure. */
const SHORT_WATCH_MS = 1_000;

class StallError extends Error {
  override readonly name = 'StallError';
}

/** Drops `metadata.managedFields`. The server keeps them when an update leaves them out. */
export function dropManagedFields<T extends KubeObject>(object: T): T {
  delete object.metadata.managedFields;
  return object;
}

/**
 * A local, indexed copy of a set of objects, kept current by list and watch and shared by any number of subscribers.
 *
 * Guarantees: after a failure of whatever kind the copy becomes equal to the server's state again; per key a subscriber
 * gets add, updates, delete in this order, and none of it twice; late subscribers get the present objects as adds.
 * Transient states may be skipped. Memory: each object once.
 */
export class Informer<T extends KubeObject> {
  readonly resource: Resource;
  readonly #options: InformerOptions<T>;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #logger: Logger;
  readonly #store: IndexedStore<T>;
  readonly #cache: ObjectCache<T>;
  readonly #handlers = new Set<InformerHandler<T>>();
  readonly #backoff: Backoff;
  readonly #synced = Promise.withResolvers<void>();
  readonly #answered = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  #state: InformerState = 'idle';
  #hasSynced = false;
  #lastError: unknown;
  /** The refusal that has been logged, until it is over. */
  #refusal: string | undefined;
  #running: Promise<void> | undefined;

  constructor(options: InformerOptions<T>) {
    this.resource = options.resource;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#logger = (options.logger ?? silentLogger).child({ resource: options.resource.plural });
    this.#store = new IndexedStore(options.indexes);
    this.#cache = new ObjectCache(this.#store);
    this.#backoff = new Backoff(BACKOFF, this.#random);
    // They need not be awaited; a caller that does gets the failure.
    this.#synced.promise.catch(() => {});
    this.#answered.promise.catch(() => {});
  }

  /** The local copy. Empty until the first list came. */
  get lister(): Lister<T> {
    return this.#store;
  }

  get state(): InformerState {
    return this.#state;
  }

  /** Whether the first list is complete and the handlers were called for it. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** The failure that keeps the copy from being current; undefined while all is well. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** Resolves when the first list is complete; rejects with the signal's reason, or when the informer is stopped before. */
  whenSynced(signal?: AbortSignal): Promise<void> {
    return unlessAborted(this.#synced.promise, signal);
  }

  /**
   * Resolves when the server has said what there is: the first list is complete, or refused, because the kind is not served or this client
   * may not read it. Rejects like {@link whenSynced}.
   */
  whenAnswered(signal?: AbortSignal): Promise<void> {
    return unlessAborted(this.#answered.promise, signal);
  }

  /** Subscribes; the handler gets present objects at once. Returns the function that unsubscribes. */
  addHandler(handler: InformerHandler<T>): () => void {
    this.#handlers.add(handler);
    for (const object of this.#store.list()) this.#notify(handler, { type: 'add', object }, true);
    return () => {
      this.#handlers.delete(handler);
    };
  }

  /** Begins to follow. Idempotent. */
  start(): void {
    this.#running ??= this.#run(this.#stop.signal);
  }

  /** Ends the watch; resolves when nothing is under way any more. The copy stays readable. Idempotent. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the informer was stopped'));
    const stopped = new Error(`the informer of ${this.resource.plural} was stopped before its first list`);
    this.#synced.reject(stopped);
    this.#answered.reject(stopped);
    await this.#running;
    this.#state = 'stopped';
  }

  async #run(signal: AbortSignal): Promise<void> {
    let step: InformerStep = { name: 'list' };
    while (!signal.aborted) {
      this.#state = step.name;
      if (step.name === 'wait') {
        try {
          await this.#clock.sleep(this.#backoff.next(), signal);
        } catch {
          return;
        }
        step =
          step.next === 'list' ? { name: 'list' } : { name: 'watch', resourceVersion: step.resourceVersion };
        continue;
      }
      const outcome: StepOutcome =
        step.name === 'list' ? await this.#list(signal) : await this.#watch(step.resourceVersion, signal);
      if (signal.aborted) return;
      step = this.#conclude(outcome);
    }
  }

  #conclude(outcome: StepOutcome): InformerStep {
    const { step, isFailure } = decideNextStep(outcome);
    if (outcome.type === 'failed') {
      this.#lastError = outcome.error;
      if (isRefused(outcome.error)) this.#answered.resolve();
      this.#logFailure(outcome.error, outcome.during, step.name);
    } else if (!isFailure) {
      this.#lastError = undefined;
      if (outcome.type !== 'listed') this.#refusal = undefined;
      // A list alone is no proof of health: the watch after it may fail each time.
      if (outcome.type !== 'listed') this.#backoff.reset();
    }
    return step;
  }

  /** A role without a right, or a kind that is not served, stays so for long: logged once, in one line. */
  #logFailure(error: unknown, during: string, next: string): void {
    if (!isRefused(error)) {
      this.#logger.warn({ err: error, during, next }, 'informer lost its stream');
      return;
    }
    // The request differs each time: a watch names the version that it goes on from, and when it ends.
    const refusal = `${during}: ${error.status.message ?? error.reason}`;
    if (this.#refusal === refusal) return;
    this.#refusal = refusal;
    this.#logger.warn({ detail: error.message, during }, 'informer is refused; it goes on asking');
  }

  async #list(signal: AbortSignal): Promise<StepOutcome> {
    try {
      const list = await this.#options.client.list<T>(this.resource, {
        ...this.#selection(),
        ...(this.#options.pageSize === undefined ? {} : { limit: this.#options.pageSize }),
        signal,
        eachItem: (item) => this.#transform(item),
      });
      const changes = this.#cache.replace(list.items);
      for (const change of changes) this.#notifyAll(change, !this.#hasSynced);
      this.#hasSynced = true;
      this.#synced.resolve();
      this.#answered.resolve();
      return { type: 'listed', resourceVersion: list.metadata.resourceVersion };
    } catch (error) {
      return { type: 'failed', during: 'list', error, resourceVersion: '', lived: false };
    }
  }

  async #watch(from: string, signal: AbortSignal): Promise<StepOutcome> {
    let resourceVersion = from;
    let hasReceivedItems = false;
    const startedAt = this.#clock.monotonic();
    const guard = this.#guardAgainstStall(signal);
    const lived = (): boolean => hasReceivedItems || this.#clock.monotonic() - startedAt >= SHORT_WATCH_MS;
    try {
      const stream = this.#options.client.watch<T>(this.resource, {
        ...this.#selection(),
        resourceVersion: from,
        allowWatchBookmarks: true,
        timeoutSeconds: Math.round(MIN_WATCH_SECONDS * (1 + this.#random())),
        signal: guard.signal,
      });
      for await (const event of stream) {
        guard.received();
        if (!hasReceivedItems) {
          hasReceivedItems = true;
          this.#backoff.reset();
          this.#lastError = undefined;
        }
        this.#take(event);
        resourceVersion = newerResourceVersion(
          resourceVersion,
          event.object.metadata.resourceVersion ?? resourceVersion,
        );
      }
      return { type: 'ended', resourceVersion, lived: lived() };
    } catch (error) {
      if (error instanceof StallError) return { type: 'stalled', resourceVersion };
      return { type: 'failed', during: 'watch', error, resourceVersion, lived: lived() };
    } finally {
      guard.close();
    }
  }

  #take(event: WatchEvent<T>): void {
    if (event.type === 'BOOKMARK') return;
    const object = this.#transform(event.object);
    for (const change of this.#cache.apply({ type: event.type, object })) this.#notifyAll(change, false);
  }

  /** One timer per watch that is set anew only when it rings, and not at each of many thousand items. */
  #guardAgainstStall(outer: AbortSignal): { signal: AbortSignal; received(): void; close(): void } {
    const stallMs = this.#options.stallMs ?? DEFAULT_STALL_MS;
    const controller = new AbortController();
    const onOuterAbort = (): void => controller.abort(outer.reason);
    outer.addEventListener('abort', onOuterAbort, { once: true });
    let lastReceivedAt = this.#clock.monotonic();
    let cancel = (): void => {};
    const arm = (ms: number): void => {
      cancel = this.#clock.setTimer(
        ms,
        () => {
          const quietMs = this.#clock.monotonic() - lastReceivedAt;
          if (quietMs >= stallMs) controller.abort(new StallError(`the watch was silent for ${quietMs} ms`));
          else arm(stallMs - quietMs);
        },
        { unref: true },
      );
    };
    arm(stallMs);
    return {
      signal: controller.signal,
      received: () => {
        lastReceivedAt = this.#clock.monotonic();
      },
      close: () => {
        cancel();
        outer.removeEventListener('abort', onOuterAbort);
      },
    };
  }

  #selection(): {
    namespace?: string | undefined;
    labelSelector?: string | undefined;
    fieldSelector?: string | undefined;
  } {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    return { namespace, labelSelector, fieldSelector };
  }

  #transform(object: T): T {
    return (this.#options.transform ?? dropManagedFields)(object);
  }

  #notifyAll(change: Change<T>, isInitial: boolean): void {
    for (const handler of this.#handlers) this.#notify(handler, change, isInitial);
  }

  /** A subscriber's failure is its own: other subscribers and the copy go on. */
  #notify(handler: InformerHandler<T>, change: Change<T>, isInitial: boolean): void {
    try {
      switch (change.type) {
        case 'add':
          handler.onAdd?.(change.object, isInitial);
          break;
        case 'update':
          handler.onUpdate?.(change.object, change.old);
          break;
        case 'delete':
          handler.onDelete?.(change.object);
          break;
      }
    } catch (error) {
      this.#logger.error({ err: error, change: change.type }, 'informer handler failed');
    }
  }
}
