import type { Pod, ReplicaSet } from '../../../api/core.ts';
import { PODS, REPLICA_SETS } from '../../../api/resources.ts';
import type { NewObject } from '../../../kube/client/types.ts';
import { type Controller, controllerOf, fromObjects, ownerReference } from '../../../kube/runtime/index.ts';
import { claim } from '../shared/claim.ts';
import { type ControllerContext, explain } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { equalJson } from '../shared/equal.ts';
import { BY_CONTROLLER } from '../shared/informers.ts';
import { PodControl } from '../shared/pod-control.ts';
import { isActive } from '../shared/pods.ts';
import { fromDependents } from '../shared/sources.ts';
import { decideReplicaSetScaling, replicaSetStatus, type ScalingFailure } from './decide-replica-set.ts';

/** Keeps the number of pods of each replica set at what it wants. */
export function replicaSetController(context: ControllerContext): Controller {
  const { informers, writer, clock } = context;
  const sets = informers.view<ReplicaSet>(REPLICA_SETS);
  const pods = informers.view<Pod>(PODS);
  const podControl = new PodControl(context, REPLICA_SETS, 'replicaset-controller');

  /** Pods of all sets that the owner of this set has; they weigh which pod goes first. */
  function siblingsOf(set: ReplicaSet, own: readonly Pod[]): readonly Pod[] {
    const owner = controllerOf(set);
    if (owner === undefined) return own;
    return sets
      .byIndex(BY_CONTROLLER, owner.uid)
      .flatMap(({ metadata }) => pods.byIndex(BY_CONTROLLER, metadata.uid ?? ''));
  }

  async function scale(set: ReplicaSet, own: readonly Pod[], signal: AbortSignal): Promise<ScalingOutcome> {
    const nowMs = clock.now();
    const observed = { replicaSet: set, pods: own, siblings: siblingsOf(set, own), nowMs };
    const scaling = decideReplicaSetScaling(observed);
    if (scaling.create > 0) {
      const pod = newPod(set);
      const made = Array.from({ length: scaling.create }, () => pod);
      const { failure } = await podControl.create(set, made, signal);
      if (failure !== undefined) return { error: failure.error, reason: 'FailedCreate' };
    }
    if (scaling.delete.length > 0) {
      try {
        await podControl.delete(set, scaling.delete, signal);
      } catch (error) {
        return { error, reason: 'FailedDelete' };
      }
    }
    return undefined;
  }

  return createController(context, {
    name: 'replicaset',
    sources: [fromObjects(sets.informer), fromDependents(pods, sets, REPLICA_SETS)],
    sizeOf: (key) => sets.get(key)?.status?.replicas ?? 0,
    reconcile: async ({ key }, signal) => {
      const set = sets.get(key);
      if (set === undefined) return undefined;
      const request = {
        owner: set,
        ownerResource: REPLICA_SETS,
        selector: set.spec?.selector,
        resource: PODS,
        // Pods that have ended stay the set's, so that they go with it.
        relevant: isActive,
      };
      const outcome = await scale(set, await claim<Pod>(context, request, signal), signal);
      const failure: ScalingFailure | undefined =
        outcome === undefined ? undefined : { reason: outcome.reason, message: explain(outcome.error) };
      const own = pods.byIndex(BY_CONTROLLER, set.metadata.uid ?? '');
      const { status, requeueAfterMs } = replicaSetStatus(
        { replicaSet: set, pods: own, nowMs: clock.now() },
        failure,
      );
      if (!equalJson(status, set.status)) {
        await writer.updateStatus<ReplicaSet>(REPLICA_SETS, { ...set, status }, signal);
      }
      if (outcome !== undefined) throw outcome.error;
      return { requeueAfterMs };
    },
  });
}

type ScalingOutcome = { readonly error: unknown; readonly reason: ScalingFailure['reason'] } | undefined;

function newPod(set: ReplicaSet): NewObject<Pod> {
  const { metadata = {}, spec } = set.spec?.template ?? {};
  const { name: _name, namespace: _namespace, ...rest } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...rest,
      generateName: `${set.metadata.name}-`,
      ...(set.metadata.namespace === undefined ? {} : { namespace: set.metadata.namespace }),
      ownerReferences: [ownerReference(REPLICA_SETS, set)],
    },
    ...(spec === undefined ? {} : { spec }),
  };
}
