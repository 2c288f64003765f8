import { type Deployment, objectKey, type Pod, type ReplicaSet } from '../../../api/core.ts';
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '../../../api/resources.ts';
import { isAlreadyExists } from '../../../kube/client/errors.ts';
import { type Controller, controllerOf, fromMapped, fromObjects } from '../../../kube/runtime/index.ts';
import { claim } from '../shared/claim.ts';
import { type ControllerContext, explain, isNamespaceGoing } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { equalJson } from '../shared/equal.ts';
import { BY_CONTROLLER } from '../shared/informers.ts';
import { refersTo } from '../shared/owners.ts';
import { isEmptySelector } from '../shared/selector.ts';
import { fromDependents } from '../shared/sources.ts';
import { type DeploymentPlan, decideDeployment } from './decide-deployment.ts';
import { withVerdict } from './deployment-status.ts';
import { equalTemplates, REVISION } from './revisions.ts';

/** Decisions per pass; what is left then is done in the next. */
const MAX_STEPS = 8;

/** Rolls the pods of each deployment to its template by growing and shrinking replica sets. */
export function deploymentController(context: ControllerContext): Controller {
  const { informers, writer, clock } = context;
  const deployments = informers.view<Deployment>(DEPLOYMENTS);
  const sets = informers.view<ReplicaSet>(REPLICA_SETS);
  const pods = informers.view<Pod>(PODS);
  const events = context.eventsOf('deployment-controller');

  function observe(deployment: Deployment, replicaSets: readonly ReplicaSet[]): DeploymentPlan {
    // Only Recreate asks for pods; looking them up for each rolling step would be work for nothing.
    const needsPods = deployment.spec?.strategy?.type === 'Recreate';
    const own = needsPods
      ? replicaSets.flatMap(({ metadata }) => pods.byIndex(BY_CONTROLLER, metadata.uid ?? ''))
      : [];
    return decideDeployment({ deployment, replicaSets, pods: own, nowMs: clock.now() });
  }

  async function apply(deployment: Deployment, plan: DeploymentPlan, signal: AbortSignal): Promise<boolean> {
    let changed = false;
    if (plan.create !== undefined) {
      if (!(await createSet(deployment, plan.create, signal))) return false;
      changed = true;
    }
    for (const set of plan.update) {
      await writer.update<ReplicaSet>(REPLICA_SETS, set, signal);
      changed = true;
    }
    for (const set of plan.delete) await writer.delete<ReplicaSet>(REPLICA_SETS, set, signal);
    for (const note of plan.events) events.record(DEPLOYMENTS, deployment, note);
    if (plan.revision !== undefined || !equalJson(plan.status, deployment.status)) {
      // Together with the status, because that does not raise the generation.
      const revised = plan.revision === undefined ? deployment : withRevision(deployment, plan.revision);
      await writer.updateStatus<Deployment>(DEPLOYMENTS, { ...revised, status: plan.status }, signal);
      changed = true;
    }
    return changed;
  }

  /** False when the set could not be made: its name is taken, or its namespace goes. */
  async function createSet(deployment: Deployment, set: ReplicaSet, signal: AbortSignal): Promise<boolean> {
    try {
      await writer.create<ReplicaSet>(REPLICA_SETS, set, signal);
      return true;
    } catch (error) {
      if (isNamespaceGoing(error)) return false;
      if (isAlreadyExists(error)) {
        await resolveCollision(deployment, set, signal);
        return false;
      }
      const message = `Failed to create new replica set "${set.metadata.name}": ${explain(error)}`;
      events.record(DEPLOYMENTS, deployment, { type: 'Warning', reason: 'ReplicaSetCreateError', message });
      const verdict = { type: 'Progressing', status: 'False', reason: 'ReplicaSetCreateError', message };
      const conditions = withVerdict(deployment.status?.conditions ?? [], verdict, clock.now());
      const status = { ...deployment.status, conditions };
      await writer.updateStatus<Deployment>(DEPLOYMENTS, { ...deployment, status }, signal);
      throw error;
    }
  }

  /** A name that is taken: by our own set that we have not heard of yet, or by another, which asks for another hash. */
  async function resolveCollision(
    deployment: Deployment,
    set: ReplicaSet,
    signal: AbortSignal,
  ): Promise<void> {
    const { namespace = '', name } = set.metadata;
    const found = await context.client.find<ReplicaSet>(REPLICA_SETS, name, { namespace, signal });
    const isOurs =
      found !== undefined &&
      controllerOf(found)?.uid === deployment.metadata.uid &&
      equalTemplates(found.spec?.template, set.spec?.template);
    if (isOurs) {
      sets.wrote(found);
      return;
    }
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    const status = { ...deployment.status, collisionCount };
    await writer.updateStatus<Deployment>(DEPLOYMENTS, { ...deployment, status }, signal);
  }

  async function refuseEmptySelector(deployment: Deployment, signal: AbortSignal): Promise<void> {
    const message = 'This deployment is selecting all pods. A non-empty selector is required.';
    events.record(DEPLOYMENTS, deployment, { type: 'Warning', reason: 'SelectingAll', message });
    const { generation = 0 } = deployment.metadata;
    if ((deployment.status?.observedGeneration ?? 0) >= generation) return;
    const status = { ...deployment.status, observedGeneration: generation };
    await writer.updateStatus<Deployment>(DEPLOYMENTS, { ...deployment, status }, signal);
  }

  return createController(context, {
    name: 'deployment',
    sources: [
      fromObjects(deployments.informer),
      fromDependents(sets, deployments, DEPLOYMENTS),
      fromMapped(pods.informer, (pod) => recreatingOwners(pod)),
    ],
    reconcile: async ({ key }, signal) => {
      for (let step = 0; ; step++) {
        const deployment = deployments.get(key);
        if (deployment === undefined) return undefined;
        if (isEmptySelector(deployment.spec?.selector)) {
          await refuseEmptySelector(deployment, signal);
          return undefined;
        }
        const request = {
          owner: deployment,
          ownerResource: DEPLOYMENTS,
          selector: deployment.spec?.selector,
          resource: REPLICA_SETS,
        };
        const plan = observe(deployment, await claim<ReplicaSet>(context, request, signal));
        const changed = await apply(deployment, plan, signal);
        if (!changed) return { requeueAfterMs: plan.requeueAfterMs };
        if (step >= MAX_STEPS) return { requeueAfterMs: 0 };
      }
    },
  });

  /** Recreate goes on when the last old pod is gone, of which its replica set's status has told long before. */
  function recreatingOwners(pod: Pod): string[] {
    const reference = controllerOf(pod);
    if (!refersTo(reference, REPLICA_SETS)) return [];
    const set = sets.get(`${pod.metadata.namespace}/${reference?.name}`);
    const owner = set === undefined ? undefined : controllerOf(set);
    if (owner === undefined || !refersTo(owner, DEPLOYMENTS)) return [];
    const deployment = deployments.get(`${pod.metadata.namespace}/${owner.name}`);
    return deployment?.spec?.strategy?.type === 'Recreate' ? [objectKey(deployment)] : [];
  }
}

function withRevision(deployment: Deployment, revision: string): Deployment {
  const { metadata } = deployment;
  return {
    ...deployment,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [REVISION]: revision } },
  };
}
