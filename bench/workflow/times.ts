import type { KubeClient, WatchEvent } from '@turnsole/kube/client/types';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { PODS } from '@turnsole/kube/kinds/resources';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { NAMESPACE } from './cluster.ts';

/** What a watch reports of an object. */
type Seen<T extends KubeObject> = Exclude<WatchEvent<T>, { readonly type: 'BOOKMARK' }>;

const LIMIT_MS = 1_200_000;

/** A pod of a workflow: when a watch showed it first, and when its end. Milliseconds of `performance.now`. */
export interface PodTimes {
  readonly workflow: string;
  readonly created: number;
  ended?: number;
}

/** When workflows and pods reached what, by watches. */
export class Times {
  readonly pods = new Map<string, PodTimes>();
  readonly #finished = new Map<string, { readonly at: number; readonly phase: string }>();
  readonly #running = new Set<string>();
  readonly #client: KubeClient;
  readonly #stop = new AbortController();
  #changed = Promise.withResolvers<void>();
  #following: Promise<unknown> = Promise.resolve();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async start(): Promise<void> {
    const versions = await Promise.all(
      [PODS, WORKFLOWS].map(async (resource) => {
        const { metadata } = await this.#client.list(resource, { namespace: NAMESPACE });
        return metadata.resourceVersion ?? '';
      }),
    );
    this.#following = Promise.all([
      this.#follow<Pod>(PODS, versions[0] ?? '', (event) => this.#notePod(event)),
      this.#follow<Workflow>(WORKFLOWS, versions[1] ?? '', ({ object }) => this.#noteWorkflow(object)),
    ]);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  /** Pods that have ended so far. */
  ended = 0;

  /** Resolves when something is as wanted. */
  async until(what: string, isSo: () => boolean): Promise<void> {
    const deadline = performance.now() + LIMIT_MS;
    const giveUp = setTimeout(() => this.#changed.resolve(), LIMIT_MS);
    try {
      while (!isSo()) {
        if (performance.now() > deadline) throw new Error(`${what}: not within ${LIMIT_MS / 1000} s`);
        await this.#changed.promise;
      }
    } finally {
      clearTimeout(giveUp);
    }
  }

  /** When these workflows ended. @throws Error when one did not succeed */
  async finished(names: readonly string[]): Promise<number[]> {
    await this.until('end of workflows', () => names.every((name) => this.#finished.has(name)));
    return names.map((name) => {
      const { at = Number.NaN, phase } = this.#finished.get(name) ?? {};
      if (phase !== 'Succeeded') throw new Error(`workflow ${name} ended ${phase}`);
      return at;
    });
  }

  async allRunning(names: readonly string[]): Promise<void> {
    await this.until('running pods', () => names.every((name) => this.#running.has(name)));
  }

  async #follow<T extends KubeObject>(
    resource: Resource,
    from: string,
    note: (event: Seen<T>) => void,
  ): Promise<void> {
    const { signal } = this.#stop;
    let resourceVersion = from;
    while (!signal.aborted) {
      try {
        const options = { namespace: NAMESPACE, resourceVersion, allowWatchBookmarks: true, signal };
        for await (const event of this.#client.watch<T>(resource, options)) {
          resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
          if (event.type !== 'BOOKMARK') note(event);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }

  #notePod({ type, object: { metadata, status } }: Seen<Pod>): void {
    const workflow = metadata.labels?.['workflows.argoproj.io/workflow'];
    if (workflow === undefined || type === 'DELETED') return;
    const key = metadata.uid ?? '';
    const times: PodTimes = this.pods.get(key) ?? { workflow, created: performance.now() };
    this.pods.set(key, times);
    const { phase } = status ?? {};
    if (times.ended === undefined && (phase === 'Succeeded' || phase === 'Failed')) {
      times.ended = performance.now();
      this.ended += 1;
    }
    this.#wake();
  }

  #noteWorkflow({ metadata, status }: Workflow): void {
    const nodes = Object.values(status?.nodes ?? {});
    if (nodes.length === 1 && nodes[0]?.phase === 'Running') {
      this.#running.add(metadata.name);
      this.#wake();
    }
    if (typeof status?.finishedAt !== 'string' || this.#finished.has(metadata.name)) return;
    this.#finished.set(metadata.name, { at: performance.now(), phase: status.phase ?? '' });
    this.#wake();
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}
