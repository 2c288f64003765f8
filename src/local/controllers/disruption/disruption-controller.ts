import {
  type Deployment,
  type KubeObject,
  objectKey,
  type Pod,
  type ReplicaSet,
  type StatefulSet,
} from '../../../api/core.ts';
import {
  DEPLOYMENTS,
  POD_DISRUPTION_BUDGETS,
  PODS,
  REPLICA_SETS,
  STATEFUL_SETS,
} from '../../../api/resources.ts';
import { type Controller, controllerOf, fromMapped, fromObjects } from '../../../kube/runtime/index.ts';
import type { ControllerContext } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { equalJson } from '../shared/equal.ts';
import { BY_NAMESPACE } from '../shared/informers.ts';
import { refersTo } from '../shared/owners.ts';
import { matchesSelector } from '../shared/selector.ts';
import type { PodDisruptionBudget } from '../shared/types.ts';
import { decideBudget } from './decide-budget.ts';

/** A budget looks again after this long while evictions it allowed are under way. */
const DISRUPTION_RECHECK_MS = 120_000;

/** Keeps the status of pod disruption budgets, by which the API server allows or refuses evictions. */
export function disruptionController(context: ControllerContext): Controller {
  const { informers, writer, clock } = context;
  const budgets = informers.view<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS);
  const pods = informers.view<Pod>(PODS);
  const sets = informers.view<ReplicaSet>(REPLICA_SETS);
  const deployments = informers.view<Deployment>(DEPLOYMENTS);
  const statefulSets = informers.view<StatefulSet>(STATEFUL_SETS);

  /** The owner whose replicas count: the deployment of a replica set, else the set itself. */
  function scaledOwner(pod: Pod): { uid: string; replicas: number | undefined } | undefined {
    const reference = controllerOf(pod);
    if (reference === undefined) return undefined;
    const key = `${pod.metadata.namespace}/${reference.name}`;
    if (refersTo(reference, REPLICA_SETS)) {
      const set = sets.get(key);
      const owner = set === undefined ? undefined : controllerOf(set);
      if (owner !== undefined && refersTo(owner, DEPLOYMENTS)) {
        const deployment = deployments.get(`${pod.metadata.namespace}/${owner.name}`);
        return { uid: owner.uid, replicas: deployment?.spec?.replicas };
      }
      return { uid: reference.uid, replicas: set?.spec?.replicas };
    }
    const found = refersTo(reference, STATEFUL_SETS) ? statefulSets.get(key)?.spec?.replicas : undefined;
    return { uid: reference.uid, replicas: found };
  }

  const budgetsOf = ({ metadata }: KubeObject): string[] =>
    budgets
      .byIndex(BY_NAMESPACE, metadata.namespace ?? '')
      .filter(({ spec }) => matchesSelector(spec?.selector, metadata.labels))
      .map(objectKey);
  /** A change of replicas concerns the budgets that select the pods of the template. */
  const byTemplate = ({ metadata, spec }: Deployment | StatefulSet | ReplicaSet): string[] => {
    const labels = spec?.template?.metadata?.labels;
    return budgetsOf({ metadata: { ...metadata, ...(labels === undefined ? {} : { labels }) } });
  };

  return createController(context, {
    name: 'disruption',
    sources: [
      fromObjects(budgets.informer),
      fromMapped(pods.informer, budgetsOf),
      fromMapped(deployments.informer, byTemplate),
      fromMapped(statefulSets.informer, byTemplate),
      fromMapped(sets.informer, byTemplate),
    ],
    reconcile: async ({ key, namespace = '' }, signal) => {
      const budget = budgets.get(key);
      if (budget === undefined || budget.metadata.deletionTimestamp !== undefined) return undefined;
      const own = pods
        .byIndex(BY_NAMESPACE, namespace)
        .filter(({ metadata }) => matchesSelector(budget.spec?.selector, metadata.labels));
      const owners = own.map(scaledOwner).filter((owner) => owner !== undefined);
      const status = decideBudget({
        budget,
        pods: own,
        scales: new Map(owners.map(({ uid, replicas }) => [uid, replicas])),
        scaleOf: (pod) => scaledOwner(pod)?.uid,
        nowMs: clock.now(),
      });
      if (!equalJson(status, budget.status)) {
        await writer.updateStatus<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, { ...budget, status }, signal);
      }
      return status.disruptedPods === undefined ? undefined : { requeueAfterMs: DISRUPTION_RECHECK_MS };
    },
  });
}
