import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, type Random, systemClock } from '../base/clock.ts';
import { type Logger, silentLogger } from '../base/log.ts';
import { isConflict } from '../client/errors.ts';
import { type KubeObject, objectKey } from '../kinds/core.ts';
import type { Resource } from '../kinds/resources.ts';
import type { Informer } from './informer.ts';
import { ownerKeys } from './owner-references.ts';
import { type QueueMetrics, WorkQueue } from './work-queue.ts';

/** The object to reconcile: only its name, as the reconciler looks at the world and not at an event. */
export interface ReconcileRequest {
  /** `namespace/name`, or `name` for cluster-scoped objects. */
  readonly key: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** How a pass ended well. */
export interface ReconcileResult {
  /** Come back after this time even if nothing happens; 0 = at once, after the keys that wait already. */
  readonly requeueAfterMs?: number | undefined;
}

/**
 * One pass for one key.
 *
 * - resolves: done; failures of the key are forgotten; comes back after `requeueAfterMs`, if given
 * - rejects with {@link TerminalError}: logged, not tried again before something changes
 * - rejects otherwise: logged and tried again with growing delay; conflicts (409) get no warning
 *
 * Never called twice at a time for one key. Must be idempotent: it may run again for no reason, or after a crash at
 * any await. The signal fires when the controller must end now.
 */
export type Reconcile = (
  request: ReconcileRequest,
  signal: AbortSignal,
) => Promise<ReconcileResult | undefined> | Promise<void>;

/** Trying again cannot help before something changes. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/** Something whose changes make keys ready. */
export interface Source {
  /** Begins to report keys; returns the way to end it. */
  subscribe(enqueue: (key: string) => void): () => void;
  whenSynced(signal: AbortSignal): Promise<void>;
}

/** Counts of passes by outcome. */
export interface ControllerMetrics extends QueueMetrics {
  reconciled(outcome: 'success' | 'requeue' | 'conflict' | 'error' | 'terminal', seconds: number): void;
}

export interface ControllerOptions {
  /** Names the controller in logs and metrics. */
  readonly name: string;
  readonly reconcile: Reconcile;
  readonly sources: readonly Source[];
  /** Keys reconciled at the same time. @default 4 */
  readonly workers?: number;
  /** @default a queue with the options' clock, random and metrics */
  readonly queue?: WorkQueue;
  /** @default the machine's clock */
  readonly clock?: Clock;
  readonly random?: Random;
  readonly logger?: Logger;
  readonly metrics?: ControllerMetrics;
}

const DEFAULT_WORKERS = 4;
/** Passes of a worker between two turns of the event loop that it waits for. */
const PASSES_PER_TURN = 32;
const DEFAULT_STOP_GRACE_MS = 10_000;

/** Turns changes of its sources into passes of a reconciler. Informers are started and stopped by their maker. */
export class Controller {
  readonly #options: ControllerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #queue: WorkQueue;
  readonly #abort = new AbortController();
  readonly #unsubscribe: (() => void)[] = [];
  #workers: Promise<unknown> | undefined;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = (options.logger ?? silentLogger).child({ controller: options.name });
    this.#queue =
      options.queue ??
      new WorkQueue({ clock: this.#clock, random: options.random, metrics: options.metrics });
  }

  /** The queue, for keys that become ready for other reasons than a change of an object. */
  get queue(): Pick<WorkQueue, 'add' | 'addAfter' | 'state' | 'delayed'> {
    return this.#queue;
  }

  /** Subscribes, waits until the sources are complete, and begins to work. Rejects when stopped or aborted before. */
  async start(signal?: AbortSignal): Promise<void> {
    for (const source of this.#options.sources) {
      this.#unsubscribe.push(source.subscribe((key) => this.#queue.add(key)));
    }
    const both = signal === undefined ? this.#abort.signal : AbortSignal.any([signal, this.#abort.signal]);
    // A pass over an incomplete copy would take what it does not see for gone.
    await Promise.all(this.#options.sources.map((source) => source.whenSynced(both)));
    if (this.#abort.signal.aborted) return;
    const count = this.#options.workers ?? DEFAULT_WORKERS;
    this.#workers = Promise.all(Array.from({ length: count }, () => this.#work()));
  }

  /**
   * Takes no new keys, lets the passes under way end, and after `graceMs` fires their signal. Resolves when none is
   * left. Idempotent.
   */
  async stop(options: { readonly graceMs?: number } = {}): Promise<void> {
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    const stopping = new Error(`the controller ${this.#options.name} is stopping`);
    const drained = this.#queue.shutdown({ drain: false });
    if (this.#workers === undefined) {
      this.#abort.abort(stopping);
      return;
    }
    const cancel = this.#clock.setTimer(options.graceMs ?? DEFAULT_STOP_GRACE_MS, () =>
      this.#abort.abort(stopping),
    );
    await drained;
    await this.#workers;
    cancel();
    this.#abort.abort(stopping);
  }

  async #work(): Promise<void> {
    let passes = 0;
    for (let key = await this.#queue.get(); key !== undefined; key = await this.#queue.get()) {
      try {
        await this.#reconcile(key);
      } finally {
        this.#queue.done(key);
      }
      passes += 1;
      // Passes that find nothing to do await no I/O. Many of them, or one key that always requeues at once, would keep
      // the process from everything else: its servers, its timers, and the very events that the key waits for.
      if (passes % PASSES_PER_TURN === 0) await nextTurn();
    }
  }

  async #reconcile(key: string): Promise<void> {
    const startedAt = this.#clock.monotonic();
    const seconds = (): number => (this.#clock.monotonic() - startedAt) / 1_000;
    try {
      const result = await this.#options.reconcile(requestOf(key), this.#abort.signal);
      this.#queue.forget(key);
      const requeueAfterMs = result?.requeueAfterMs;
      if (requeueAfterMs !== undefined) this.#queue.addAfter(key, requeueAfterMs);
      this.#options.metrics?.reconciled(requeueAfterMs === undefined ? 'success' : 'requeue', seconds());
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      const outcome = this.#handleFailure(key, error);
      this.#options.metrics?.reconciled(outcome, seconds());
    }
  }

  /** The one place where a failed pass is logged. */
  #handleFailure(key: string, error: unknown): 'conflict' | 'error' | 'terminal' {
    if (error instanceof TerminalError) {
      this.#queue.forget(key);
      this.#logger.error({ key, err: error }, 'reconcile failed for good');
      return 'terminal';
    }
    const retryAfterMs = Math.round(this.#queue.addRateLimited(key));
    const fields = { key, retryAfterMs, failures: this.#queue.failures(key), err: error };
    if (isConflict(error)) {
      this.#logger.debug(fields, 'reconcile met a newer version');
      return 'conflict';
    }
    this.#logger.error(fields, 'reconcile failed');
    return 'error';
  }
}

/** The request a queue's key stands for. */
export function requestOf(key: string): ReconcileRequest {
  const slash = key.indexOf('/');
  return slash === -1
    ? { key, namespace: undefined, name: key }
    : { key, namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The objects of an informer themselves. */
export function fromObjects<T extends KubeObject>(
  informer: Pick<Informer<T>, 'addHandler' | 'whenSynced'>,
  filter: (object: T, old: T | undefined) => boolean = () => true,
): Source {
  return {
    subscribe: (enqueue) =>
      informer.addHandler({
        onAdd: (object) => {
          if (filter(object, undefined)) enqueue(objectKey(object));
        },
        onUpdate: (object, old) => {
          if (filter(object, old)) enqueue(objectKey(object));
        },
        onDelete: (object) => enqueue(objectKey(object)),
      }),
    whenSynced: (signal) => informer.whenSynced(signal),
  };
}

/**
 * Keys that a function finds for each object; on an update for its old and its new state, as a reference may move. Updates that
 * `concerns` says no to are left out.
 */
export function fromMapped<T extends KubeObject>(
  informer: Pick<Informer<T>, 'addHandler' | 'whenSynced'>,
  keysOf: (object: T) => readonly string[],
  concerns: (object: T, old: T) => boolean = () => true,
): Source {
  return {
    subscribe: (enqueue) => {
      const enqueueAll = (object: T): void => {
        for (const key of keysOf(object)) enqueue(key);
      };
      return informer.addHandler({
        onAdd: enqueueAll,
        onUpdate: (object, old) => {
          if (!concerns(object, old)) return;
          enqueueAll(old);
          enqueueAll(object);
        },
        onDelete: enqueueAll,
      });
    },
    whenSynced: (signal) => informer.whenSynced(signal),
  };
}

/** The managing owner of a kind (`controller: true`), for each object that it owns. */
export function fromOwned<T extends KubeObject>(
  informer: Pick<Informer<T>, 'addHandler' | 'whenSynced'>,
  owner: Pick<Resource, 'group' | 'kind' | 'namespaced'>,
): Source {
  return fromMapped(informer, (object) => ownerKeys(object, owner, true));
}
