import { type KubeObject, objectKey } from '@turnsole/kube/kinds/core';
import type { InformerHandler } from '@turnsole/kube/runtime/index';
import { IndexedStore } from '@turnsole/kube/runtime/store';

/** What an informer offers to those who follow it, without a server behind. */
export class Objects<T extends KubeObject> {
  readonly lister = new IndexedStore<T>();
  readonly #handlers = new Set<InformerHandler<T>>();

  async whenSynced(): Promise<void> {}

  addHandler(handler: InformerHandler<T>): () => void {
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  add(object: T): void {
    this.lister.set(object);
    for (const handler of this.#handlers) handler.onAdd?.(object, false);
  }

  delete(object: T): void {
    this.lister.delete(objectKey(object));
    for (const handler of this.#handlers) handler.onDelete?.(object);
  }
}
