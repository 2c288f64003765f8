import { unless } from '@turnsole/kube/client/errors';
import type { ControllerContext } from '@turnsole/kube/controllers/context';
import { ControllerBase } from '@turnsole/kube/controllers/controller';
import { isOutdated } from '@turnsole/kube/controllers/errors';
import type { Monitors } from '@turnsole/kube/controllers/monitors';
import type { KubeObject, Namespace } from '@turnsole/kube/kinds/core';
import { EVENTS, NAMESPACES } from '@turnsole/kube/kinds/resources';
import { fromObjects, type ReconcileRequest, type Source } from '@turnsole/kube/runtime/index';
import { finalized, isTerminating, namespaceConditions } from './decide-namespace.ts';
import { NamespaceContent } from './namespace-content.ts';

/** Empties namespaces that are being deleted, and finalizes them when nothing is left. */
export class NamespaceController extends ControllerBase {
  readonly name = 'namespace';
  readonly #namespaces = this.context.informers.view<Namespace>(NAMESPACES);
  readonly #content: NamespaceContent;
  readonly sources: readonly Source[];

  constructor(context: ControllerContext, monitors: Monitors) {
    super(context);
    this.#content = new NamespaceContent(context.client, monitors);
    this.sources = [
      fromObjects(this.#namespaces.informer, isTerminating),
      fromContent(monitors, (name) => this.#namespaces.get(name)),
    ];
  }

  async reconcile({ key }: ReconcileRequest, signal: AbortSignal): Promise<void> {
    const namespace = this.#namespaces.get(key);
    if (namespace === undefined || !isTerminating(namespace)) return;
    const deletionError = await this.#content.empty(key, signal);
    const isEmpty = deletionError === undefined && this.#content.remaining(key).length === 0;
    if (isEmpty && (await this.#content.verifyEmpty(key, signal))) await this.#release(namespace, signal);
    else await this.#writeConditions(namespace, deletionError, signal);
    if (deletionError !== undefined) throw new Error(`cannot empty namespace ${key}: ${deletionError}`);
  }

  async #release(namespace: Namespace, signal: AbortSignal): Promise<void> {
    const { client } = this.context;
    const { name } = namespace.metadata;
    await unless(isOutdated, client.deleteCollection(EVENTS, { namespace: name, signal }));
    const options = { subresource: 'finalize', signal };
    await unless(isOutdated, client.update(NAMESPACES, finalized(namespace), options));
  }

  /** Says in the namespace's status what keeps it. */
  async #writeConditions(
    namespace: Namespace,
    deletionError: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { writer, clock } = this.context;
    const remaining = this.#content.remaining(namespace.metadata.name);
    const conditions = namespaceConditions(namespace, { remaining, deletionError }, clock.now());
    const status = { ...namespace.status, conditions };
    await unless(isOutdated, writer.setStatus<Namespace>(NAMESPACES, namespace, status, signal));
  }
}

/** Terminating namespaces, when something in them is deleted, or is created late. */
function fromContent(monitors: Monitors, find: (name: string) => Namespace | undefined): Source {
  return {
    subscribe: (enqueue) => {
      const enqueueNamespace = (object: KubeObject): void => {
        const { namespace } = object.metadata;
        if (namespace === undefined) return;
        const owner = find(namespace);
        if (owner !== undefined && isTerminating(owner)) enqueue(namespace);
      };
      monitors.addHandler({
        onAdd: (_, object) => enqueueNamespace(object),
        onUpdate: (_, object) => enqueueNamespace(object),
        onDelete: (_, object) => enqueueNamespace(object),
      });
      return () => {};
    },
    whenSynced: (signal) => monitors.whenSynced(signal),
  };
}
