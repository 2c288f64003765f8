import { claim } from '@turnsole/kube/controllers/claim';
import { KindController, type StepOutcome } from '@turnsole/kube/controllers/controller';
import { explain } from '@turnsole/kube/controllers/errors';
import { BY_CONTROLLER } from '@turnsole/kube/controllers/informers';
import { fromDependents } from '@turnsole/kube/controllers/sources';
import type { Pod, ReplicaSet } from '@turnsole/kube/kinds/core';
import { isActive } from '@turnsole/kube/kinds/pod-phase';
import { PODS, REPLICA_SETS } from '@turnsole/kube/kinds/resources';
import { controllerOf, fromObjects } from '@turnsole/kube/runtime/index';
import { PodControl } from '../shared/pod-control.ts';
import { podOf } from '../shared/pod-of.ts';
import { decideReplicaSetScaling, replicaSetStatus, type ScalingFailure } from './decide-replica-set.ts';

/** Keeps the number of pods of each replica set at what it wants. */
export class ReplicaSetController extends KindController<ReplicaSet> {
  readonly name = 'replicaset';
  readonly objects = this.context.informers.view<ReplicaSet>(REPLICA_SETS);
  readonly #pods = this.context.informers.view<Pod>(PODS);
  readonly #podControl = new PodControl(this.context, REPLICA_SETS, 'replicaset-controller');
  readonly sources = [
    fromObjects(this.objects.informer),
    fromDependents(this.#pods, this.objects, REPLICA_SETS),
  ];

  sizeOf(key: string): number {
    return this.objects.get(key)?.status?.replicas ?? 0;
  }

  async step(set: ReplicaSet, signal: AbortSignal): Promise<StepOutcome> {
    const { selector } = set.spec ?? {};
    // Pods that have ended stay the set's, so that they go with it.
    const request = { owner: set, ownerResource: REPLICA_SETS, selector, resource: PODS, relevant: isActive };
    const outcome = await this.#scale(set, await claim<Pod>(this.context, request, signal), signal);
    const failure = outcome && { reason: outcome.reason, message: explain(outcome.error) };
    const pods = this.#pods.byIndex(BY_CONTROLLER, set.metadata.uid ?? '');
    const observed = { replicaSet: set, pods, nowMs: this.context.clock.now() };
    const { status, requeueAfterMs } = replicaSetStatus(observed, failure);
    await this.context.writer.setStatus<ReplicaSet>(REPLICA_SETS, set, status, signal);
    if (outcome !== undefined) throw outcome.error;
    return { changed: false, requeueAfterMs };
  }

  async #scale(set: ReplicaSet, own: readonly Pod[], signal: AbortSignal): Promise<ScalingOutcome> {
    const nowMs = this.context.clock.now();
    const observed = { replicaSet: set, pods: own, siblings: this.#siblingsOf(set, own), nowMs };
    const scaling = decideReplicaSetScaling(observed);
    if (scaling.create > 0) {
      const pod = podOf(REPLICA_SETS, set);
      const made = Array.from({ length: scaling.create }, () => pod);
      const { failure } = await this.#podControl.create(set, made, signal);
      if (failure !== undefined) return { error: failure.error, reason: 'FailedCreate' };
    }
    if (scaling.delete.length === 0) return undefined;
    try {
      await this.#podControl.delete(set, scaling.delete, signal);
      return undefined;
    } catch (error) {
      return { error, reason: 'FailedDelete' };
    }
  }

  /** Pods of all sets with the same owner; they influence which pod is deleted first. */
  #siblingsOf(set: ReplicaSet, own: readonly Pod[]): readonly Pod[] {
    const owner = controllerOf(set);
    if (owner === undefined) return own;
    return this.objects
      .byIndex(BY_CONTROLLER, owner.uid)
      .flatMap(({ metadata }) => this.#pods.byIndex(BY_CONTROLLER, metadata.uid ?? ''));
  }
}

type ScalingOutcome = { readonly error: unknown; readonly reason: ScalingFailure['reason'] } | undefined;
