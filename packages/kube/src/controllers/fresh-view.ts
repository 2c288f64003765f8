import { type KubeObject, objectKey } from '../kinds/core.ts';
import {
  type Clock,
  compareResourceVersions,
  dropManagedFields,
  type IndexFunction,
  type Informer,
  newerResourceVersion,
} from '../runtime/index.ts';

/** After this long the local copy is believed whatever was written: the watch must have been lost meanwhile. */
const MAX_PENDING_MS = 30_000;

type Pending<T> =
  | { readonly type: 'written'; readonly object: T; readonly at: number }
  | { readonly type: 'removed'; readonly uid: string | undefined; readonly at: number };

/**
 * An informer's local copy plus what this process has written and the informer has not seen yet.
 *
 * A controller that creates three pods and is called again before the watch has reported them would create three more.
 * Instead of waiting for the watch (Kubernetes' expectations), this view shows what the server answered until the informer
 * has seen a version at least as new, so that a pass may decide again at once and each decision rests on all writes
 * before it. Objects are shared and must not be changed.
 */
export class FreshView<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly #clock: Clock;
  readonly #indexes: Readonly<Record<string, IndexFunction<T>>>;
  readonly #pending = new Map<string, Pending<T>>();
  #seen: string | undefined;

  constructor(informer: Informer<T>, indexes: Readonly<Record<string, IndexFunction<T>>>, clock: Clock) {
    this.informer = informer;
    this.#indexes = indexes;
    this.#clock = clock;
    const see = ({ metadata }: T): void => {
      if (metadata.resourceVersion === undefined) return;
      this.#seen = newerResourceVersion(this.#seen, metadata.resourceVersion);
    };
    informer.addHandler({ onAdd: see, onUpdate: see, onDelete: see });
  }

  /** @param key `namespace/name`, or `name` for cluster-scoped objects */
  get(key: string): T | undefined {
    const pending = this.#pendingOf(key);
    if (pending === undefined) return this.informer.lister.get(key);
    return pending.type === 'written' ? pending.object : undefined;
  }

  list(): T[] {
    return this.#overlay(this.informer.lister.list(), () => true);
  }

  byIndex(index: string, value: string): T[] {
    const valuesOf = this.#indexes[index];
    return this.#overlay(
      this.informer.lister.byIndex(index, value),
      (object) => valuesOf?.(object).includes(value) === true,
    );
  }

  /** Takes note of an object as the server answered it. */
  wrote(object: T): void {
    const at = this.#clock.monotonic();
    this.#pending.set(objectKey(object), { type: 'written', object: dropManagedFields(object), at });
  }

  /** Takes note that the server has no such object any more. */
  removed(object: KubeObject): void {
    const { uid } = object.metadata;
    this.#pending.set(objectKey(object), { type: 'removed', uid, at: this.#clock.monotonic() });
  }

  #overlay(present: T[], belongs: (object: T) => boolean): T[] {
    if (this.#pending.size === 0) return present;
    for (const [key, pending] of this.#pending) if (this.#hasArrived(key, pending)) this.#pending.delete(key);
    if (this.#pending.size === 0) return present;
    const result = present.filter((object) => !this.#pending.has(objectKey(object)));
    for (const pending of this.#pending.values()) {
      if (pending.type === 'written' && belongs(pending.object)) result.push(pending.object);
    }
    return result;
  }

  /** A write that the informer has not seen yet; one that it has seen is forgotten. */
  #pendingOf(key: string): Pending<T> | undefined {
    const pending = this.#pending.get(key);
    if (pending === undefined) return undefined;
    if (this.#hasArrived(key, pending)) {
      this.#pending.delete(key);
      return undefined;
    }
    return pending;
  }

  #hasArrived(key: string, pending: Pending<T>): boolean {
    if (this.#clock.monotonic() - pending.at > MAX_PENDING_MS) return true;
    if (pending.type === 'removed') return this.informer.lister.get(key)?.metadata.uid !== pending.uid;
    const order = compareResourceVersions(this.#seen, pending.object.metadata.resourceVersion);
    return order !== undefined && order >= 0;
  }
}
