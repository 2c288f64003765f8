import type { KubeObject, Namespace } from '../../../api/core.ts';
import { EVENTS, NAMESPACES, PODS, type Resource } from '../../../api/resources.ts';
import { isConflict, isNotFound } from '../../../kube/client/errors.ts';
import { type Controller, fromObjects, type Source } from '../../../kube/runtime/index.ts';
import { type ControllerContext, explain } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { equalJson } from '../shared/equal.ts';
import { BY_NAMESPACE } from '../shared/informers.ts';
import { type Monitors, nameOfResource } from '../shared/monitors.ts';
import { finalized, isTerminating, namespaceConditions, type Remaining } from './decide-namespace.ts';

/** Empties namespaces that are being deleted, and lets them go when nothing is left. */
export function namespaceController(context: ControllerContext, monitors: Monitors): Controller {
  const { client, informers, writer, clock } = context;
  const namespaces = informers.view<Namespace>(NAMESPACES);

  /** What is left by the local copies; cheap, and told of each change. */
  function remainingIn(namespace: string): { readonly resource: Resource; readonly objects: KubeObject[] }[] {
    return monitors
      .resources()
      .filter(({ namespaced }) => namespaced)
      .map((resource) => ({
        resource,
        objects: monitors.view(resource)?.byIndex(BY_NAMESPACE, namespace) ?? [],
      }))
      .filter(({ objects }) => objects.length > 0);
  }

  /** Deletes what does not go yet: pods first, so that what they may still need is there while they end. */
  async function empty(
    namespace: string,
    remaining: readonly { readonly resource: Resource; readonly objects: readonly KubeObject[] }[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const pods = remaining.filter(({ resource }) => nameOfResource(resource) === PODS.plural);
    const turn = pods.length > 0 ? pods : remaining;
    const results = await Promise.allSettled(
      turn
        .filter(({ objects }) => objects.some(({ metadata }) => metadata.deletionTimestamp === undefined))
        .map(({ resource }) => client.deleteCollection(resource, { namespace, signal })),
    );
    const failed = results.find((result) => result.status === 'rejected');
    return failed === undefined ? undefined : explain(failed.reason);
  }

  /** What the server itself has left, all resources looked at; the local copies may be a moment behind. */
  async function verifyEmpty(namespace: string, signal: AbortSignal): Promise<boolean> {
    const counts = await Promise.all(
      monitors
        .resources()
        .filter(({ namespaced }) => namespaced)
        .map(async (resource) => {
          const { items } = await client.list<KubeObject>(resource, { namespace, signal });
          const view = monitors.view(resource);
          for (const item of items) view?.wrote(item);
          return items.length;
        }),
    );
    return counts.every((count) => count === 0);
  }

  return createController(context, {
    name: 'namespace',
    sources: [
      fromObjects(namespaces.informer, isTerminating),
      fromContent(monitors, (name) => namespaces.get(name)),
    ],
    reconcile: async ({ key }, signal) => {
      const namespace = namespaces.get(key);
      if (namespace === undefined || !isTerminating(namespace)) return undefined;
      const before = remainingIn(key);
      const deletionError = await empty(key, before, signal);
      const left = remainingIn(key);
      if (left.length === 0 && deletionError === undefined && (await verifyEmpty(key, signal))) {
        await unlessGone(client.deleteCollection(EVENTS, { namespace: key, signal }));
        await unlessGone(
          client.update(NAMESPACES, finalized(namespace), { subresource: 'finalize', signal }),
        );
        return undefined;
      }
      const findings = {
        remaining: remainingIn(key).map(summarise),
        discoveryError: undefined,
        deletionError,
      };
      const conditions = namespaceConditions(namespace, findings, clock.now());
      if (!equalJson(conditions, namespace.status?.conditions)) {
        const status = { ...namespace.status, conditions };
        await unlessGone(writer.updateStatus<Namespace>(NAMESPACES, { ...namespace, status }, signal));
      }
      if (deletionError !== undefined) throw new Error(`cannot empty namespace ${key}: ${deletionError}`);
      return undefined;
    },
  });
}

function summarise({ resource, objects }: { resource: Resource; objects: readonly KubeObject[] }): Remaining {
  const finalizers = new Map<string, number>();
  for (const { metadata } of objects) {
    for (const finalizer of metadata.finalizers ?? [])
      finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  }
  return { resource: `${resource.plural}.${resource.group}`, count: objects.length, finalizers };
}

/** Terminating namespaces, when something in them goes, or comes in late. */
function fromContent(monitors: Monitors, find: (name: string) => Namespace | undefined): Source {
  return {
    subscribe: (enqueue) => {
      const tell = (object: KubeObject): void => {
        const { namespace } = object.metadata;
        if (namespace === undefined) return;
        const owner = find(namespace);
        if (owner !== undefined && isTerminating(owner)) enqueue(namespace);
      };
      monitors.addHandler({
        onAdd: (_, object) => tell(object),
        onUpdate: (_, object) => tell(object),
        onDelete: (_, object) => tell(object),
      });
      return () => {};
    },
    whenSynced: (signal) => monitors.whenSynced(signal),
  };
}

async function unlessGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
