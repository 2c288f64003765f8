import { ApiError, ConnectionError } from '../client/errors.ts';
import type { KubeClient, KubeList, WatchEvent, WatchOptions } from '../client/types.ts';
import type { KubeObject } from '../kinds/core.ts';
import { objectKey } from '../kinds/core.ts';

type ObjectEvent = Extract<WatchEvent, { type: 'ADDED' | 'MODIFIED' | 'DELETED' }>;

interface OpenWatch {
  /** Watch events to deliver; a group arrives whole or not at all. */
  readonly items: WatchEvent[][];
  readonly delivered: ObjectEvent[];
  readonly end: { how: 'open' | 'ended' | Error };
  isSilent: boolean;
  wake: () => void;
}

/**
 * One resource of an API server, reduced to its history: versions, compaction, watches. Everything that can go wrong on
 * the way to a client is done to it by hand, at a known moment.
 */
export class HistoryServer {
  readonly objects = new Map<string, KubeObject>();
  #version = 10;
  #compactedAt = 0;
  #history: { readonly version: number; readonly event: ObjectEvent }[] = [];
  readonly #watches = new Set<OpenWatch>();
  /** Failures of the next requests, first come first served. */
  readonly failures: { readonly list: Error[]; readonly watch: Error[] } = { list: [], watch: [] };
  lists = 0;
  watches = 0;

  get version(): string {
    return String(this.#version);
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Creates, or changes in place; a changed object keeps its uid. */
  put(name: string, labels: Record<string, string> = {}, content: object = {}): void {
    const old = this.objects.get(`shop/${name}`);
    this.#version += 1;
    const object: KubeObject = {
      ...content,
      metadata: {
        name,
        namespace: 'shop',
        uid: old?.metadata.uid ?? `uid-${this.#version}`,
        resourceVersion: this.version,
        labels,
      },
    };
    this.objects.set(objectKey(object), object);
    this.#publish({ type: old === undefined ? 'ADDED' : 'MODIFIED', object });
  }

  remove(name: string): void {
    const old = this.objects.get(`shop/${name}`);
    if (old === undefined) return;
    this.#version += 1;
    this.objects.delete(`shop/${name}`);
    this.#publish({
      type: 'DELETED',
      object: { metadata: { ...old.metadata, resourceVersion: this.version } },
    });
  }

  /** Forgets the history so far: watches from an older version get 410. */
  compact(): void {
    this.#compactedAt = this.#version;
    this.#history = [];
  }

  bookmark(): void {
    for (const watch of this.#watches) {
      this.#deliver(watch, { type: 'BOOKMARK', object: { metadata: { resourceVersion: this.version } } });
    }
  }

  /** Breaks all connections; what was not delivered is lost. */
  drop(error: Error = new ConnectionError('GET watch', 'reset')): void {
    for (const watch of this.#watches) {
      watch.items.length = 0;
      watch.end.how = error;
      watch.wake();
    }
    this.#watches.clear();
  }

  /** Ends all watches as servers do from time to time. */
  endWatches(): void {
    for (const watch of this.#watches) {
      watch.end.how = 'ended';
      watch.wake();
    }
    this.#watches.clear();
  }

  /** From now on open watches say nothing more, without ending: a dead peer. */
  silence(): void {
    for (const watch of this.#watches) watch.isSilent = true;
  }

  /** Delivers something again that a watch has delivered before. */
  repeat(back: number): void {
    for (const watch of this.#watches) {
      const old = watch.delivered.at(-1 - back);
      if (old !== undefined) this.#deliver(watch, old);
    }
  }

  /**
   * Two changes that arrive in the wrong order, both or neither: a client that gets only the later one cannot know of the
   * other, as its position is that of the later.
   */
  swapped(first: () => void, second: () => void): void {
    const held = new Map<OpenWatch, number>();
    for (const watch of this.#watches) held.set(watch, watch.items.length);
    first();
    second();
    for (const [watch, from] of held) {
      const tail = watch.items.splice(from).flat();
      if (tail.length > 0) watch.items.push(tail.reverse());
    }
  }

  /** The two methods an informer needs. */
  readonly client: Pick<KubeClient, 'list' | 'watch'> = {
    // The callers' object types are those of the test.
    list: async <T extends KubeObject>() => (await this.#list()) as KubeList<T>,
    watch: <T extends KubeObject>(_: unknown, options: WatchOptions = {}) =>
      this.#watch(options) as AsyncIterable<WatchEvent<T>>,
  };

  async #list(): Promise<KubeList> {
    this.lists += 1;
    const failure = this.failures.list.shift();
    if (failure !== undefined) throw failure;
    return {
      metadata: { resourceVersion: this.version },
      items: [...this.objects.values()].map((object) => structuredClone(object)),
    };
  }

  async *#watch(options: WatchOptions): AsyncGenerator<WatchEvent, void, undefined> {
    this.watches += 1;
    const failure = this.failures.watch.shift();
    if (failure !== undefined) throw failure;
    const from = Number(options.resourceVersion ?? '0');
    if (from < this.#compactedAt) throw new ApiError('GET watch', 410, { reason: 'Expired', code: 410 });
    const watch: OpenWatch = {
      items: [],
      delivered: [],
      end: { how: 'open' },
      isSilent: false,
      wake: () => {},
    };
    const { signal } = options;
    const onAbort = (): void => watch.wake();
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#watches.add(watch);
    for (const { version, event } of this.#history) if (version > from) this.#deliver(watch, event);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const group = watch.items.shift();
        if (group !== undefined) {
          for (const item of group) {
            if (item.type !== 'BOOKMARK') watch.delivered.push(item);
            yield structuredClone(item);
          }
          continue;
        }
        if (watch.end.how === 'ended') return;
        if (watch.end.how !== 'open') throw watch.end.how;
        await new Promise<void>((resolve) => {
          watch.wake = resolve;
        });
      }
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#watches.delete(watch);
    }
  }

  #publish(event: ObjectEvent): void {
    this.#history.push({ version: this.#version, event });
    for (const watch of this.#watches) this.#deliver(watch, event);
  }

  #deliver(watch: OpenWatch, item: WatchEvent): void {
    if (watch.isSilent) return;
    watch.items.push([item]);
    watch.wake();
  }
}
