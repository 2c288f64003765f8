import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '@turnsole/kube/client/errors';
import type { DeleteOptions, KubeClient, PatchType } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { apiVersionOf } from '@turnsole/kube/kinds/resources';
import { Informer } from '@turnsole/kube/runtime/index';
import { without } from '../../harness/pointer.ts';
import { type Draft, type Kind, type Kinds, RESOURCES } from './kinds.ts';
import { Names } from './names.ts';
import { type NormaliseContext, normaliseObject, sortShown } from './normalise.ts';
import type { Shown } from './scenario.ts';
import { Stillness } from './stillness.ts';

/** A cluster that scenarios run against. */
export interface LabCluster {
  readonly client: KubeClient;
  /** Name of the node that pods run on. */
  readonly node: string;
  /** What is waited for longer than this is a fault. */
  readonly limitMs: number;
}

/** Objects of a kind, or those of them that a test picks. */
export type Selection =
  | Kind
  | { readonly [K in Kind]: { readonly kind: K; readonly where: (object: Kinds[K]) => boolean } }[Kind];

/** A wait that was in vain. */
export class LabError extends Error {
  override readonly name = 'LabError';
}

/**
 * The namespace of a scenario: what can be done in it, and what was shown so far.
 *
 * Everything is learnt by watches. Where the outcome is known (a replay), showing waits until things are as recorded;
 * where it is not (a recording), until nothing has happened for a while.
 */
export class Lab {
  readonly namespace: string;
  readonly node: string;
  readonly shown: Shown[] = [];
  readonly #cluster: LabCluster;
  readonly #expected: readonly Shown[] | undefined;
  readonly #isAsExpected: (index: number, shown: unknown) => boolean;
  readonly #signal: AbortSignal;
  readonly #informers = new Map<string, Informer<KubeObject>>();
  readonly #listeners = new Set<() => void>();
  readonly #normalise: NormaliseContext;

  constructor(
    cluster: LabCluster,
    options: {
      readonly namespace: string;
      readonly expected: readonly Shown[] | undefined;
      /** JSON pointers to what is to differ, by step, from 0. @default nothing */
      readonly differing?: (index: number) => readonly string[];
      readonly signal: AbortSignal;
    },
  ) {
    this.#cluster = cluster;
    this.namespace = options.namespace;
    this.node = cluster.node;
    this.#expected = options.expected;
    this.#isAsExpected = (index, shown) => {
      const pointers = options.differing?.(index) ?? [];
      const expected = options.expected?.[index]?.shown;
      return isDeepStrictEqual(without(shown, pointers), without(expected, pointers));
    };
    this.#signal = options.signal;
    this.#normalise = { names: new Names(), nodes: new Set([cluster.node]) };
  }

  /** Opens the watches that names are learnt from. */
  async open(): Promise<void> {
    for (const kind of ['ReplicaSet', 'ControllerRevision', 'Job', 'Pod', 'Event'] as const)
      this.#informer(kind);
    await Promise.all([...this.#informers.values()].map((informer) => informer.whenSynced(this.#signal)));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.stop()));
  }

  /** Creates objects, one after the other. */
  async create(...drafts: readonly Draft[]): Promise<void> {
    for (const { kind, apiVersion: _any, ...draft } of drafts) {
      const resource = RESOURCES[kind];
      const object = { ...draft, kind, apiVersion: apiVersionOf(resource) };
      await this.#cluster.client.create(resource, object, this.#request(kind));
    }
  }

  /** Merges changes into an object. */
  async change(
    kind: Kind,
    name: string,
    patch: unknown,
    subresource?: string,
    type: PatchType = 'merge',
  ): Promise<void> {
    const resource = RESOURCES[kind];
    await this.#cluster.client.patch(resource, name, type, patch, {
      ...this.#request(kind),
      ...(subresource === undefined ? {} : { subresource }),
    });
  }

  async remove(kind: Kind, name: string, options: DeleteOptions = {}): Promise<void> {
    const resource = RESOURCES[kind];
    await this.#cluster.client.delete(resource, name, { ...this.#request(kind), ...options });
  }

  async evict(pod: string): Promise<void> {
    const eviction = {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: pod, namespace: this.namespace },
    };
    const path = `/api/v1/namespaces/${this.namespace}/pods/${pod}/eviction`;
    // With less patience than a refusal's Retry-After asks for: it is an answer here.
    await this.#cluster.client.raw('POST', path, eviction, { signal: this.#signal, timeoutMs: 9_000 });
  }

  /** What a request that fails is answered. */
  async showRefusal(step: string, request: () => Promise<unknown>): Promise<void> {
    let answer: unknown = 'not refused';
    try {
      await request();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { code, reason, message } = error.status;
      answer = { code, reason, message };
    }
    await this.#present(step, () =>
      normaliseObject('Status', { metadata: { name: '' }, ...Object(answer) }, this.#normalise),
    );
  }

  /** Waits until an object is as the test wants it, and gives it. */
  async until<K extends Kind>(kind: K, name: string, test: (object: Kinds[K]) => boolean): Promise<Kinds[K]> {
    const found = (): Kinds[K] | undefined =>
      this.list(kind).find((object) => object.metadata.name === name && test(object));
    await this.#wait(
      `${kind} ${name} with ${test}`,
      () => found() !== undefined,
      () => this.list(kind),
    );
    const object = found();
    if (object === undefined) throw new LabError(`${kind} ${name} has changed meanwhile`);
    return object;
  }

  /** Waits until all objects of a kind together are as the test wants them, and gives them. */
  async untilAll<K extends Kind>(
    kind: K,
    test: (objects: readonly Kinds[K][]) => boolean,
  ): Promise<readonly Kinds[K][]> {
    await this.#wait(
      `all ${kind} with ${test}`,
      () => test(this.list(kind)),
      () => this.list(kind),
    );
    return this.list(kind);
  }

  async untilGone(kind: Kind, name: string): Promise<void> {
    await this.untilAll(kind, (objects) => objects.every((object) => object.metadata.name !== name));
  }

  /** Waits for an Event with this reason, on an object whose name starts so. */
  async untilEvent(reason: string, name: string): Promise<void> {
    await this.untilAll('Event', (events) =>
      events.some((event) => event.reason === reason && event.involvedObject.name?.startsWith(name) === true),
    );
  }

  /** The objects of a kind as the watch has told so far. */
  list<K extends Kind>(kind: K): readonly Kinds[K][] {
    // The informer of a kind holds objects of that kind.
    return this.#informer(kind).lister.list() as unknown as readonly Kinds[K][];
  }

  /** Shows the objects as they are when all is still. */
  async show(step: string, ...selections: readonly Selection[]): Promise<void> {
    await this.#present(step, () =>
      sortShown(
        selections.flatMap((selection) => {
          const kind = typeof selection === 'string' ? selection : selection.kind;
          // A selection's test is one for its own kind.
          const where =
            typeof selection === 'string' ? () => true : (selection.where as (object: KubeObject) => boolean);
          const objects = this.#informer(kind).lister.list().filter(where);
          return objects.map((object) => normaliseObject(kind, object, this.#normalise));
        }),
      ),
    );
  }

  /** Shows the Events with these reasons: on what, type, reason and message, each once. */
  async showEvents(step: string, ...reasons: readonly string[]): Promise<void> {
    await this.#present(step, () => {
      const lines = this.list('Event')
        .filter(({ reason }) => reasons.includes(reason ?? ''))
        .map((event) => {
          const { involvedObject, type, reason, message } = event;
          return { on: `${involvedObject.kind} ${involvedObject.name}`, type, reason, message };
        })
        .map((line) => JSON.stringify(normaliseObject('Event', Object(line), this.#normalise)));
      return [...new Set(lines)].sort().map((line) => JSON.parse(line) as unknown);
    });
  }

  /** Begins to note what becomes of objects: each new text once, in order; undefined texts are not noted. */
  trace<K extends Kind>(kind: K, describe: (object: Kinds[K], isGone: boolean) => string | undefined): Trace {
    const notes: string[] = [];
    const last = new Map<string, string>();
    const note = (object: KubeObject, isGone: boolean): void => {
      // The informer of a kind holds objects of that kind.
      const text = describe(object as unknown as Kinds[K], isGone);
      if (text === undefined || last.get(object.metadata.name) === text) return;
      last.set(object.metadata.name, text);
      notes.push(text);
    };
    this.#informer(kind).addHandler({
      onAdd: (object) => note(object, false),
      onUpdate: (object) => note(object, false),
      onDelete: (object) => note(object, true),
    });
    return {
      show: (step) => this.#present(step, () => notes.map((text) => this.#normalise.names.replace(text))),
    };
  }

  /** Shows a value that the scenario has worked out itself. */
  async showValue(step: string, value: () => unknown): Promise<void> {
    await this.#present(step, value);
  }

  #request(kind: Kind): { namespace?: string; signal: AbortSignal } {
    const { namespaced } = RESOURCES[kind];
    return { signal: this.#signal, ...(namespaced ? { namespace: this.namespace } : {}) };
  }

  #informer(kind: Kind): Informer<KubeObject> {
    const present = this.#informers.get(kind);
    if (present !== undefined) return present;
    const resource = RESOURCES[kind];
    const informer = new Informer<KubeObject>({
      client: this.#cluster.client,
      resource,
      ...(resource.namespaced ? { namespace: this.namespace } : {}),
    });
    const happened = (): void => {
      for (const listener of [...this.#listeners]) listener();
    };
    informer.addHandler({
      onAdd: (object) => {
        this.#normalise.names.learn(kind, object);
        happened();
      },
      onUpdate: happened,
      onDelete: happened,
    });
    informer.start();
    this.#informers.set(kind, informer);
    return informer;
  }

  async #present(step: string, look: () => unknown): Promise<void> {
    const plain = (): unknown => JSON.parse(JSON.stringify(look()));
    const index = this.shown.length;
    look(); // opens watches
    await Promise.all([...this.#informers.values()].map((informer) => informer.whenSynced(this.#signal)));
    if (this.#expected === undefined) {
      await new Stillness(this.#listeners, this.#signal).reached();
    } else {
      // What does not become as recorded is compared as it is at the end.
      await this.#wait(step, () => this.#isAsExpected(index, plain()), look).catch((error: unknown) => {
        if (!(error instanceof LabError)) throw error;
      });
    }
    this.shown.push({ step, shown: plain() });
  }

  async #wait(what: string, isReached: () => boolean, look: () => unknown): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const check = (): void => {
      try {
        if (isReached()) resolve();
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const onAbort = (): void => reject(this.#signal.reason);
    const timer = setTimeout(() => {
      const last = JSON.stringify(look(), (key, value) => (key === 'managedFields' ? undefined : value));
      reject(new LabError(`waited in vain for ${what}; last seen: ${last.slice(0, 3_000)}`));
    }, this.#cluster.limitMs);
    this.#listeners.add(check);
    this.#signal.addEventListener('abort', onAbort, { once: true });
    check();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#listeners.delete(check);
      this.#signal.removeEventListener('abort', onAbort);
    }
  }
}

/** What was noted of objects. */
export interface Trace {
  show(step: string): Promise<void>;
}
