import type { KubeClient } from '@turnsole/kube/client/types';
import { explain } from '@turnsole/kube/controllers/errors';
import { BY_NAMESPACE } from '@turnsole/kube/controllers/informers';
import { type Monitors, nameOfResource } from '@turnsole/kube/controllers/monitors';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { PODS, type Resource } from '@turnsole/kube/kinds/resources';
import type { Remaining } from './decide-namespace.ts';

interface Objects {
  readonly resource: Resource;
  readonly objects: readonly KubeObject[];
}

/** The content of a namespace, of all resources, and how to empty it. */
export class NamespaceContent {
  readonly #client: KubeClient;
  readonly #monitors: Monitors;

  constructor(client: KubeClient, monitors: Monitors) {
    this.#client = client;
    this.#monitors = monitors;
  }

  /** What is left, by the local copies; cheap, as watch events keep these up to date. */
  remaining(namespace: string): Remaining[] {
    return this.#objects(namespace).map(summarise);
  }

  /**
   * Deletes what does not go yet: pods first, so that what they may still need is there while they end. Resolves to what went
   * wrong, in words.
   */
  async empty(namespace: string, signal: AbortSignal): Promise<string | undefined> {
    const all = this.#objects(namespace);
    const pods = all.filter(({ resource }) => nameOfResource(resource) === PODS.plural);
    const results = await Promise.allSettled(
      (pods.length > 0 ? pods : all)
        .filter(({ objects }) => objects.some(({ metadata }) => metadata.deletionTimestamp === undefined))
        .map(({ resource }) => this.#client.deleteCollection(resource, { namespace, signal })),
    );
    const failed = results.find((result) => result.status === 'rejected');
    return failed === undefined ? undefined : explain(failed.reason);
  }

  /** Whether the server itself has nothing left, all resources looked at; the local copies may be a moment behind. */
  async verifyEmpty(namespace: string, signal: AbortSignal): Promise<boolean> {
    const counts = await Promise.all(
      this.#resources().map(async (resource) => {
        const { items } = await this.#client.list<KubeObject>(resource, { namespace, signal });
        const view = this.#monitors.view(resource);
        for (const item of items) view?.wrote(item);
        return items.length;
      }),
    );
    return counts.every((count) => count === 0);
  }

  #objects(namespace: string): Objects[] {
    return this.#resources()
      .map((resource) => {
        const objects = this.#monitors.view(resource)?.byIndex(BY_NAMESPACE, namespace) ?? [];
        return { resource, objects };
      })
      .filter(({ objects }) => objects.length > 0);
  }

  #resources(): Resource[] {
    return this.#monitors.resources().filter(({ namespaced }) => namespaced);
  }
}

function summarise({ resource, objects }: Objects): Remaining {
  const finalizers = new Map<string, number>();
  for (const finalizer of objects.flatMap(({ metadata }) => metadata.finalizers ?? []))
    finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  return { resource: `${resource.plural}.${resource.group}`, count: objects.length, finalizers };
}
