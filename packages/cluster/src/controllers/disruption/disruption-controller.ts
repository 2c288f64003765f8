import { KindController, type StepOutcome } from '@turnsole/kube/controllers/controller';
import { BY_NAMESPACE } from '@turnsole/kube/controllers/informers';
import {
  type Deployment,
  type KubeObject,
  objectKey,
  type Pod,
  type ReplicaSet,
  type StatefulSet,
} from '@turnsole/kube/kinds/core';
import {
  DEPLOYMENTS,
  POD_DISRUPTION_BUDGETS,
  PODS,
  REPLICA_SETS,
  STATEFUL_SETS,
} from '@turnsole/kube/kinds/resources';
import { controllerOf, fromMapped, fromObjects } from '@turnsole/kube/runtime/index';
import { refersTo } from '@turnsole/kube/runtime/owner-references';
import { matchesSelector } from '@turnsole/kube/text/label-selector';
import type { PodDisruptionBudget } from '../shared/types.ts';
import { decideBudget } from './decide-budget.ts';

/** A budget looks again after this long while evictions it allowed are under way. */
const DISRUPTION_RECHECK_MS = 120_000;

/** Keeps the status of pod disruption budgets, by which the API server allows or refuses evictions. */
export class DisruptionController extends KindController<PodDisruptionBudget> {
  readonly name = 'disruption';
  readonly objects = this.context.informers.view<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS);
  readonly #pods = this.context.informers.view<Pod>(PODS);
  readonly #sets = this.context.informers.view<ReplicaSet>(REPLICA_SETS);
  readonly #deployments = this.context.informers.view<Deployment>(DEPLOYMENTS);
  readonly #statefulSets = this.context.informers.view<StatefulSet>(STATEFUL_SETS);
  readonly sources = [
    fromObjects(this.objects.informer),
    fromMapped(this.#pods.informer, (pod) => this.#budgetsOf(pod)),
    fromMapped(this.#deployments.informer, (owner) => this.#budgetsOfTemplate(owner)),
    fromMapped(this.#statefulSets.informer, (owner) => this.#budgetsOfTemplate(owner)),
    fromMapped(this.#sets.informer, (owner) => this.#budgetsOfTemplate(owner)),
  ];

  async step(budget: PodDisruptionBudget, signal: AbortSignal): Promise<StepOutcome | undefined> {
    if (budget.metadata.deletionTimestamp !== undefined) return undefined;
    const pods = this.#pods
      .byIndex(BY_NAMESPACE, budget.metadata.namespace ?? '')
      .filter(({ metadata }) => matchesSelector(budget.spec?.selector, metadata.labels));
    const owners = pods.map((pod) => this.#scaledOwner(pod)).filter((owner) => owner !== undefined);
    const status = decideBudget({
      budget,
      pods,
      scales: new Map(owners.map(({ uid, replicas }) => [uid, replicas])),
      scaleOf: (pod) => this.#scaledOwner(pod)?.uid,
      nowMs: this.context.clock.now(),
    });
    const { writer } = this.context;
    await writer.setStatus<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, budget, status, signal);
    if (status.disruptedPods === undefined) return undefined;
    return { changed: false, requeueAfterMs: DISRUPTION_RECHECK_MS };
  }

  /** The owner whose replicas count: the deployment of a replica set, else the set itself. */
  #scaledOwner(pod: Pod): { uid: string; replicas: number | undefined } | undefined {
    const reference = controllerOf(pod);
    if (reference === undefined) return undefined;
    const key = `${pod.metadata.namespace}/${reference.name}`;
    if (refersTo(reference, REPLICA_SETS)) {
      const set = this.#sets.get(key);
      const owner = set && controllerOf(set);
      if (owner === undefined || !refersTo(owner, DEPLOYMENTS))
        return { uid: reference.uid, replicas: set?.spec?.replicas };
      const deployment = this.#deployments.get(`${pod.metadata.namespace}/${owner.name}`);
      return { uid: owner.uid, replicas: deployment?.spec?.replicas };
    }
    const found = refersTo(reference, STATEFUL_SETS) ? this.#statefulSets.get(key) : undefined;
    return { uid: reference.uid, replicas: found?.spec?.replicas };
  }

  #budgetsOf({ metadata }: Pick<KubeObject, 'metadata'>): string[] {
    return this.objects
      .byIndex(BY_NAMESPACE, metadata.namespace ?? '')
      .filter(({ spec }) => matchesSelector(spec?.selector, metadata.labels))
      .map(objectKey);
  }

  /** A change of replicas concerns the budgets that select the pods of the template. */
  #budgetsOfTemplate({ metadata, spec }: Deployment | StatefulSet | ReplicaSet): string[] {
    const labels = spec?.template?.metadata?.labels ?? metadata.labels;
    return this.#budgetsOf({ metadata: { ...metadata, labels } });
  }
}
