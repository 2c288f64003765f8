import { isConflict } from '@turnsole/kube/client/errors';
import type { ControllerContext } from '@turnsole/kube/controllers/context';
import { ControllerBase } from '@turnsole/kube/controllers/controller';
import type { Monitors } from '@turnsole/kube/controllers/monitors';
import type { ReconcileRequest, ReconcileResult, Source } from '@turnsole/kube/runtime/index';
import { CollectionExecutor } from './carry-out.ts';
import { decideCollection } from './decide-collection.ts';
import { OwnerGraph, toNode } from './graph.ts';

/** Decisions per pass; verifying owners and acting on the outcome takes two. */
const MAX_STEPS = 4;

/** Deletes what has lost its owners, and carries foreground and orphan deletion out. Keys of its queue are uids. */
export class GarbageCollector extends ControllerBase {
  readonly name = 'garbage-collector';
  readonly workers = 16;
  readonly #monitors: Monitors;
  readonly #graph = new OwnerGraph();
  readonly #executor = new CollectionExecutor(this.context.client, this.#graph, this.context.logger, (uid) =>
    this.#enqueue(uid),
  );
  readonly sources: readonly Source[];
  #enqueue: (uid: string) => void = () => {};

  constructor(context: ControllerContext, monitors: Monitors) {
    super(context);
    this.#monitors = monitors;
    this.sources = [
      {
        subscribe: (enqueue) => this.#follow(enqueue),
        // Owners that are not known are looked up one by one, but not those that are about to be listed.
        whenSynced: (signal) => monitors.whenSynced(signal),
      },
    ];
  }

  async reconcile({ key: uid }: ReconcileRequest, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    for (let step = 0; step < MAX_STEPS; step++) {
      const node = this.#graph.get(uid);
      if (node === undefined) return undefined;
      const collection = decideCollection(this.#graph, uid, (group, kind) =>
        this.#monitors.find(group, kind),
      );
      try {
        if (!(await this.#executor.carryOut(node, collection, signal))) return undefined;
      } catch (error) {
        if (!isConflict(error)) throw error;
        // Its new state is on the way; if that needs no look, this one must not be the last.
        if (this.#graph.get(uid) === node) throw error;
      }
    }
    return { requeueAfterMs: 0 };
  }

  #follow(enqueue: (uid: string) => void): () => void {
    this.#enqueue = enqueue;
    this.#monitors.addHandler({
      onAdd: (resource, object) => this.#graph.set(toNode(resource, object)).forEach(enqueue),
      onUpdate: (resource, object) => this.#graph.set(toNode(resource, object)).forEach(enqueue),
      onDelete: (_, object) => this.#graph.delete(object.metadata.uid ?? '').forEach(enqueue),
      onResource: (resource) => this.#graph.referrersTo(resource).forEach(enqueue),
    });
    return () => {};
  }
}
