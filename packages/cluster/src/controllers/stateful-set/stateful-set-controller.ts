import { claim } from '@turnsole/kube/controllers/claim';
import { KindController, type StepOutcome } from '@turnsole/kube/controllers/controller';
import { fromDependents, readOnly } from '@turnsole/kube/controllers/sources';
import type { Pod, StatefulSet } from '@turnsole/kube/kinds/core';
import {
  CONTROLLER_REVISIONS,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  STATEFUL_SETS,
} from '@turnsole/kube/kinds/resources';
import { fromObjects, fromOwned } from '@turnsole/kube/runtime/index';
import type { ControllerRevision, PersistentVolumeClaim } from '../shared/types.ts';
import { writeRevision } from '../shared/write-revision.ts';
import { decideStatefulSet, type ObservedStatefulSet, type StatefulSetStep } from './decide-stateful-set.ts';
import { ordinalOf } from './identity.ts';
import { StatefulPods } from './stateful-pods.ts';

/** Keeps the numbered pods of each stateful set, in order and with their claims. */
export class StatefulSetController extends KindController<StatefulSet> {
  readonly name = 'statefulset';
  readonly objects = this.context.informers.view<StatefulSet>(STATEFUL_SETS);
  readonly #claims = this.context.informers.view<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS);
  readonly #pods = new StatefulPods(this.context, this.#claims);
  readonly sources = [
    fromObjects(this.objects.informer),
    fromDependents(this.context.informers.view<Pod>(PODS), this.objects, STATEFUL_SETS),
    fromOwned(this.context.informers.view<ControllerRevision>(CONTROLLER_REVISIONS).informer, STATEFUL_SETS),
    readOnly(this.#claims),
  ];

  async step(set: StatefulSet, signal: AbortSignal): Promise<StepOutcome> {
    const step = decideStatefulSet(await this.#gather(set, signal));
    if (await this.#apply(set, step, signal)) return { changed: true };
    const { writer } = this.context;
    await writer.setStatus<StatefulSet>(STATEFUL_SETS, set, step.status, signal);
    for (const revision of step.deleteRevisions) await writer.delete(CONTROLLER_REVISIONS, revision, signal);
    return { changed: false, requeueAfterMs: step.requeueAfterMs };
  }

  async #gather(set: StatefulSet, signal: AbortSignal): Promise<ObservedStatefulSet> {
    const { context } = this;
    const owner = { owner: set, ownerResource: STATEFUL_SETS, selector: set.spec?.selector };
    const eligible = (pod: Pod): boolean => ordinalOf(set, pod) !== undefined;
    const pods = await claim<Pod>(context, { ...owner, resource: PODS, eligible }, signal);
    // Before pods go, so that the claims that go with them know it.
    await this.#pods.keepClaimOwners(set, pods, signal);
    const resource = CONTROLLER_REVISIONS;
    const revisions = await claim<ControllerRevision>(context, { ...owner, resource }, signal);
    return { set, pods, revisions, nowMs: context.clock.now() };
  }

  /** Whether it changed something. */
  async #apply(set: StatefulSet, step: StatefulSetStep, signal: AbortSignal): Promise<boolean> {
    const revision = await writeRevision(this.context, step.revision, signal);
    if (revision === 'collision') {
      const collisionCount = (set.status?.collisionCount ?? 0) + 1;
      const status = { replicas: 0, ...set.status, collisionCount };
      return this.context.writer.setStatus<StatefulSet>(STATEFUL_SETS, set, status, signal);
    }
    for (const removal of step.delete) await this.#pods.remove(set, removal, signal);
    if (!(await this.#pods.create(set, step.create, signal))) return false;
    return revision === 'changed' || step.delete.length > 0 || step.create.length > 0;
  }
}
