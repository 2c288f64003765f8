import type { KubeClient, NewObject } from '@turnsole/kube/client/types';
import { CHAOS_ENGINES, type ChaosEngine } from '../../src/api/index.ts';
import { EXPERIMENT, NAMESPACE } from './cluster.ts';

/** Writes of the benchmark that are under way at the same time. */
const WRITERS = 32;
const LIMIT_MS = 600_000;

/** A status of an engine that times are taken of; `running` is an experiment's, all others `status.engineStatus`. */
export type Milestone = 'initialized' | 'running' | 'completed' | 'stopped';

/** When engines reached what, by a watch: milliseconds of `performance.now`. */
export class EngineTimes {
  readonly #client: KubeClient;
  readonly #stop = new AbortController();
  readonly #times = new Map<string, Map<Milestone, number>>();
  #changed = Promise.withResolvers<void>();
  #running: Promise<void> | undefined;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async start(): Promise<void> {
    const { metadata } = await this.#client.list<ChaosEngine>(CHAOS_ENGINES, { namespace: NAMESPACE });
    this.#running = this.#follow(metadata.resourceVersion);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Resolves to the times at which these engines were first seen so. */
  async all(names: readonly string[], milestone: Milestone): Promise<number[]> {
    const deadline = performance.now() + LIMIT_MS;
    const seen = (name: string): number | undefined => this.#times.get(name)?.get(milestone);
    const giveUp = setTimeout(() => this.#changed.resolve(), LIMIT_MS);
    for (let left = names; ; ) {
      left = left.filter((name) => seen(name) === undefined);
      if (left.length === 0) break;
      if (performance.now() > deadline) {
        throw new Error(`${left.length} engines are not ${milestone}, ${left[0]} among them`);
      }
      await this.#changed.promise;
    }
    clearTimeout(giveUp);
    return names.map((name) => seen(name) ?? Number.NaN);
  }

  /** The earliest time after another at which any engine was first seen so. */
  firstAfter(at: number, milestone: Milestone): number {
    const times = [...this.#times.values()].map((seen) => seen.get(milestone) ?? Number.NaN);
    return Math.min(...times.filter((time) => time > at));
  }

  async #follow(from: string): Promise<void> {
    const { signal } = this.#stop;
    let resourceVersion = from;
    while (!signal.aborted) {
      const options = { namespace: NAMESPACE, resourceVersion, allowWatchBookmarks: true, signal };
      try {
        for await (const event of this.#client.watch<ChaosEngine>(CHAOS_ENGINES, options)) {
          resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
          if (event.type !== 'BOOKMARK') this.#note(event.object);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }

  #note({ metadata, spec, status }: ChaosEngine): void {
    const times = this.#times.get(metadata.name) ?? new Map<Milestone, number>();
    this.#times.set(metadata.name, times);
    const reach = (milestone: Milestone): void => {
      if (times.has(milestone)) return;
      times.set(milestone, performance.now());
      this.#changed.resolve();
      this.#changed = Promise.withResolvers<void>();
    };
    if (status?.experiments?.some((entry) => entry.status === 'Running')) reach('running');
    const word = status?.engineStatus;
    if (word === 'initialized') reach(word);
    if ((word === 'completed' || word === 'stopped') && spec.engineState === 'stop') reach(word);
  }
}

/** Does something for each, many at a time. */
export async function forAll<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      const item = items[index];
      if (item !== undefined) await work(item, index);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, worker));
}

/** `count` names. */
export function names(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

/** An engine as users write it, whose experiment takes this long. */
export function engineFor(name: string, chaosSeconds: number): NewObject<ChaosEngine> {
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name },
    spec: {
      engineState: 'active',
      annotationCheck: 'false',
      chaosServiceAccount: 'chaos-sa',
      appinfo: { appns: NAMESPACE, applabel: 'app=web', appkind: 'deployment' },
      jobCleanUpPolicy: 'delete',
      experiments: [
        {
          name: EXPERIMENT,
          spec: {
            components: {
              env: [
                { name: 'TOTAL_CHAOS_DURATION', value: String(chaosSeconds) },
                { name: 'CHAOS_INTERVAL', value: '1' },
                { name: 'FORCE', value: 'true' },
              ],
            },
          },
        },
      ],
    },
  };
}

/** Creates engines; gives the time just before each. */
export async function createEngines(
  client: KubeClient,
  engineNames: readonly string[],
  chaosSeconds: number,
): Promise<number[]> {
  const at: number[] = [];
  await forAll(engineNames, async (name, index) => {
    at[index] = performance.now();
    await client.create<ChaosEngine>(CHAOS_ENGINES, engineFor(name, chaosSeconds), { namespace: NAMESPACE });
  });
  return at;
}

/** Copies of an engine that has run, with its status: what thousands of earlier runs leave. */
export async function copyEngine(
  client: KubeClient,
  model: string,
  copies: readonly string[],
): Promise<void> {
  const { metadata, ...rest } = await client.get<ChaosEngine>(CHAOS_ENGINES, model, { namespace: NAMESPACE });
  const { finalizers, annotations, labels } = metadata;
  await forAll(copies, async (name) => {
    const copy = { ...rest, metadata: { name, finalizers, annotations, labels } };
    await client.create(CHAOS_ENGINES, copy, { namespace: NAMESPACE });
  });
}
