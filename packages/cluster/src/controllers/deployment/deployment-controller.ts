import { isAlreadyExists } from '@turnsole/kube/client/errors';
import { claim } from '@turnsole/kube/controllers/claim';
import { KindController, type StepOutcome } from '@turnsole/kube/controllers/controller';
import { explain, isNamespaceGoing } from '@turnsole/kube/controllers/errors';
import { BY_CONTROLLER } from '@turnsole/kube/controllers/informers';
import { fromDependents } from '@turnsole/kube/controllers/sources';
import { type Deployment, objectKey, type Pod, type ReplicaSet } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, PODS, REPLICA_SETS } from '@turnsole/kube/kinds/resources';
import { controllerOf, fromMapped, fromObjects, refersTo } from '@turnsole/kube/runtime/index';
import { isEmptySelector } from '@turnsole/kube/text/label-selector';
import { type DeploymentPlan, decideDeployment } from './decide-deployment.ts';
import { withVerdict } from './deployment-status.ts';
import { equalTemplates, REVISION } from './revisions.ts';

/** Rolls the pods of each deployment to its template by growing and shrinking replica sets. */
export class DeploymentController extends KindController<Deployment> {
  readonly name = 'deployment';
  readonly objects = this.context.informers.view<Deployment>(DEPLOYMENTS);
  readonly #replicaSets = this.context.informers.view<ReplicaSet>(REPLICA_SETS);
  readonly #pods = this.context.informers.view<Pod>(PODS);
  readonly #events = this.context.eventsOf('deployment-controller');
  readonly sources = [
    fromObjects(this.objects.informer),
    fromDependents(this.#replicaSets, this.objects, DEPLOYMENTS),
    fromMapped(this.#pods.informer, (pod) => this.#recreatingOwners(pod)),
  ];

  async step(deployment: Deployment, signal: AbortSignal): Promise<StepOutcome | undefined> {
    if (isEmptySelector(deployment.spec?.selector)) return this.#refuseEmptySelector(deployment, signal);
    const plan = await this.#plan(deployment, signal);
    const changed = await this.#apply(deployment, plan, signal);
    return { changed, requeueAfterMs: plan.requeueAfterMs };
  }

  async #plan(deployment: Deployment, signal: AbortSignal): Promise<DeploymentPlan> {
    const { selector, strategy } = deployment.spec ?? {};
    const request = { owner: deployment, ownerResource: DEPLOYMENTS, selector, resource: REPLICA_SETS };
    const replicaSets = await claim<ReplicaSet>(this.context, request, signal);
    // Only Recreate needs pods; looking them up for each rolling step would be wasted work.
    const pods =
      strategy?.type === 'Recreate'
        ? replicaSets.flatMap(({ metadata }) => this.#pods.byIndex(BY_CONTROLLER, metadata.uid ?? ''))
        : [];
    return decideDeployment({ deployment, replicaSets, pods, nowMs: this.context.clock.now() });
  }

  /** Whether it changed something. */
  async #apply(deployment: Deployment, plan: DeploymentPlan, signal: AbortSignal): Promise<boolean> {
    const { writer } = this.context;
    if (plan.create !== undefined && !(await this.#createSet(deployment, plan.create, signal))) return false;
    for (const set of plan.update) await writer.update<ReplicaSet>(REPLICA_SETS, set, signal);
    for (const set of plan.delete) await writer.delete<ReplicaSet>(REPLICA_SETS, set, signal);
    for (const note of plan.events) this.#events.record(DEPLOYMENTS, deployment, note);
    return (
      (await this.#writeStatus(deployment, plan, signal)) ||
      plan.create !== undefined ||
      plan.update.length > 0
    );
  }

  async #writeStatus(deployment: Deployment, plan: DeploymentPlan, signal: AbortSignal): Promise<boolean> {
    const { writer } = this.context;
    if (plan.revision === undefined)
      return writer.setStatus<Deployment>(DEPLOYMENTS, deployment, plan.status, signal);
    // Together with the status, because that does not raise the generation.
    const revised = { ...withRevision(deployment, plan.revision), status: plan.status };
    await writer.updateStatus<Deployment>(DEPLOYMENTS, revised, signal);
    return true;
  }

  /** False when the set could not be made: its name is taken, or its namespace is being deleted. */
  async #createSet(deployment: Deployment, set: ReplicaSet, signal: AbortSignal): Promise<boolean> {
    const { writer, clock } = this.context;
    try {
      await writer.create<ReplicaSet>(REPLICA_SETS, set, signal);
      return true;
    } catch (error) {
      if (isNamespaceGoing(error)) return false;
      if (isAlreadyExists(error)) {
        await this.#resolveCollision(deployment, set, signal);
        return false;
      }
      const message = `Failed to create new replica set "${set.metadata.name}": ${explain(error)}`;
      const reason = 'ReplicaSetCreateError';
      this.#events.record(DEPLOYMENTS, deployment, { type: 'Warning', reason, message });
      const verdict = { type: 'Progressing', status: 'False', reason, message };
      const conditions = withVerdict(deployment.status?.conditions ?? [], verdict, clock.now());
      await writer.setStatus(DEPLOYMENTS, deployment, { ...deployment.status, conditions }, signal);
      throw error;
    }
  }

  /** A name that is taken: by our own set, which the copy does not show yet, or by another, which asks for another hash. */
  async #resolveCollision(deployment: Deployment, set: ReplicaSet, signal: AbortSignal): Promise<void> {
    const { client, writer } = this.context;
    const { namespace = '', name } = set.metadata;
    const found = await client.find<ReplicaSet>(REPLICA_SETS, name, { namespace, signal });
    const isOurs =
      found !== undefined &&
      controllerOf(found)?.uid === deployment.metadata.uid &&
      equalTemplates(found.spec?.template, set.spec?.template);
    if (isOurs) {
      this.#replicaSets.wrote(found);
      return;
    }
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    await writer.setStatus(DEPLOYMENTS, deployment, { ...deployment.status, collisionCount }, signal);
  }

  async #refuseEmptySelector(deployment: Deployment, signal: AbortSignal): Promise<undefined> {
    const message = 'This deployment is selecting all pods. A non-empty selector is required.';
    this.#events.record(DEPLOYMENTS, deployment, { type: 'Warning', reason: 'SelectingAll', message });
    const { generation = 0 } = deployment.metadata;
    if ((deployment.status?.observedGeneration ?? 0) >= generation) return;
    const status = { ...deployment.status, observedGeneration: generation };
    await this.context.writer.setStatus(DEPLOYMENTS, deployment, status, signal);
  }

  /** Recreate goes on when the last old pod is gone; the status of its replica set no longer counted it long before. */
  #recreatingOwners(pod: Pod): string[] {
    const { namespace } = pod.metadata;
    const reference = controllerOf(pod);
    if (!refersTo(reference, REPLICA_SETS)) return [];
    const set = this.#replicaSets.get(`${namespace}/${reference?.name}`);
    const owner = set && controllerOf(set);
    if (!refersTo(owner, DEPLOYMENTS)) return [];
    const deployment = this.objects.get(`${namespace}/${owner?.name}`);
    return deployment?.spec?.strategy?.type === 'Recreate' ? [objectKey(deployment)] : [];
  }
}

function withRevision(deployment: Deployment, revision: string): Deployment {
  const { metadata } = deployment;
  const annotations = { ...metadata.annotations, [REVISION]: revision };
  return { ...deployment, metadata: { ...metadata, annotations } };
}
