import { isForbidden } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import { type KubeObject, type Node, objectKey, type Pod } from '@turnsole/kube/kinds/core';
import {
  NODES,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type Resource,
} from '@turnsole/kube/kinds/resources';
import { TargetSelectionError } from '../injection/errors.ts';
import { ANY_KIND } from '../injection/settings/parse-targets.ts';
import { readWorkloads } from './opt-in.ts';
import { intermediateKinds } from './owner.ts';
import { type ObservedPods, type PodRequest, podQueries } from './select-pods.ts';

/**
 * Reads the input of {@link import('./select-pods.ts').selectPods}, with as few requests as the distinct lists need: the
 * pods of each namespace or selector once, then ReplicaSets (or ReplicationControllers) once per namespace that needs them.
 */
export async function observePods(
  client: KubeClient,
  request: Pick<PodRequest, 'entries' | 'targetPods' | 'nodeLabel' | 'chaosNamespace' | 'optIn'> & {
    /** `named`: workloads matter only where one is named; pods found by a label count as they are. @default all */
    readonly ownersOf?: 'all' | 'named';
  },
  signal: AbortSignal,
): Promise<ObservedPods> {
  const list = cachedLister(client, signal);
  const needsNodes = request.nodeLabel !== '' && request.targetPods.length === 0;
  const [lists, nodes] = await Promise.all([
    Promise.all(podQueries(request).map(({ namespace, selector }) => list<Pod>(PODS, namespace, selector))),
    needsNodes ? list<Node>(NODES, undefined, request.nodeLabel) : undefined,
  ]);
  const pods = lists.flat();
  // Charts of faults that need no workloads grant no look at them; then only who asks for a workload has to be refused.
  const isNeeded =
    request.optIn !== undefined ||
    (request.targetPods.length === 0 &&
      request.entries.some(({ kind, names }) => {
        const isAsked = names.length > 0 || (request.ownersOf !== 'named' && kind !== ANY_KIND);
        return kind !== 'pod' && isAsked;
      }));
  const [replicaSets, replicationControllers] = await Promise.all([
    listIntermediates(list, pods, 'ReplicaSet', REPLICA_SETS, isNeeded),
    listIntermediates(list, pods, 'ReplicationController', REPLICATION_CONTROLLERS, isNeeded),
  ]);
  const intermediates = { replicaSets, replicationControllers };
  return {
    lists,
    ...(request.optIn === undefined
      ? {}
      : { workloads: await readWorkloads(client, pods, intermediates, signal) }),
    nodes: nodes === undefined ? undefined : new Set(nodes.map(({ metadata }) => metadata.name)),
    ...intermediates,
  };
}

type Lister = <T extends KubeObject>(
  resource: Resource,
  namespace: string | undefined,
  selector?: string,
) => Promise<readonly T[]>;

/** One request per distinct list, however often it is needed. */
function cachedLister(client: KubeClient, signal: AbortSignal): Lister {
  const cache = new Map<string, Promise<readonly KubeObject[]>>();
  return <T extends KubeObject>(resource: Resource, namespace: string | undefined, selector?: string) => {
    const key = JSON.stringify([resource.plural, namespace, selector]);
    const cached = cache.get(key) ?? listItems(client, resource, namespace, selector, signal);
    cache.set(key, cached);
    // The key holds the resource, so the items are of the type asked for.
    return cached as Promise<readonly T[]>;
  };
}

async function listItems(
  client: KubeClient,
  resource: Resource,
  namespace: string | undefined,
  selector: string | undefined,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  try {
    const { items } = await client.list(resource, { signal, namespace, labelSelector: selector });
    return items;
  } catch (cause) {
    if (signal.aborted) throw cause;
    const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
    const which = selector === undefined ? '' : ` with label ${selector}`;
    throw new TargetSelectionError(
      `cannot list ${resource.plural}${where}${which}; check the selector and the permissions of the service account`,
      { cause },
    );
  }
}

async function listIntermediates(
  list: Lister,
  pods: readonly Pod[],
  kind: 'ReplicaSet' | 'ReplicationController',
  resource: Resource,
  isNeeded: boolean,
): Promise<ReadonlyMap<string, KubeObject>> {
  const namespaces = new Set(
    pods.filter((pod) => intermediateKinds([pod]).has(kind)).map(({ metadata }) => metadata.namespace),
  );
  const lists = await Promise.all(
    [...namespaces].map((namespace) =>
      list(resource, namespace).catch((error: unknown) => {
        if (!isNeeded && error instanceof TargetSelectionError && isForbidden(error.cause)) return [];
        throw error;
      }),
    ),
  );
  return new Map(lists.flat().map((object) => [objectKey(object), object]));
}
