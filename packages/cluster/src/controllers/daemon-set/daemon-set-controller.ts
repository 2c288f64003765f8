import { claim } from '@turnsole/kube/controllers/claim';
import { KindController, type StepOutcome } from '@turnsole/kube/controllers/controller';
import type { FreshView } from '@turnsole/kube/controllers/fresh-view';
import { fromDependents } from '@turnsole/kube/controllers/sources';
import { type DaemonSet, type Node, objectKey, type Pod } from '@turnsole/kube/kinds/core';
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from '@turnsole/kube/kinds/resources';
import { fromMapped, fromObjects, fromOwned, type Source } from '@turnsole/kube/runtime/index';
import { equivalentJson } from '@turnsole/kube/text/json';
import { PodControl } from '../shared/pod-control.ts';
import type { ControllerRevision, DaemonSetStatus } from '../shared/types.ts';
import { writeRevision } from '../shared/write-revision.ts';
import {
  type DaemonSetStep,
  decideDaemonSet,
  hashOf,
  newDaemonPod,
  type ObservedDaemonSet,
} from './decide-daemon-set.ts';

const NO_STATUS: DaemonSetStatus = {
  currentNumberScheduled: 0,
  desiredNumberScheduled: 0,
  numberMisscheduled: 0,
  numberReady: 0,
};

/** Keeps one pod of each daemon set on every node that should have it. */
export class DaemonSetController extends KindController<DaemonSet> {
  readonly name = 'daemonset';
  readonly objects = this.context.informers.view<DaemonSet>(DAEMON_SETS);
  readonly #nodes = this.context.informers.view<Node>(NODES);
  readonly #podControl = new PodControl(this.context, DAEMON_SETS, 'daemonset-controller');
  readonly #events = this.context.eventsOf('daemonset-controller');
  readonly sources = [
    fromObjects(this.objects.informer),
    fromDependents(this.context.informers.view<Pod>(PODS), this.objects, DAEMON_SETS),
    fromOwned(this.context.informers.view<ControllerRevision>(CONTROLLER_REVISIONS).informer, DAEMON_SETS),
    fromNodes(this.#nodes, this.objects),
  ];

  async step(set: DaemonSet, signal: AbortSignal): Promise<StepOutcome> {
    const step = decideDaemonSet(await this.#gather(set, signal));
    if (await this.#apply(set, step, signal)) return { changed: true };
    const { writer } = this.context;
    await writer.setStatus<DaemonSet>(DAEMON_SETS, set, step.status, signal);
    for (const revision of step.deleteRevisions) await writer.delete(CONTROLLER_REVISIONS, revision, signal);
    return { changed: false, requeueAfterMs: step.requeueAfterMs };
  }

  async #gather(set: DaemonSet, signal: AbortSignal): Promise<ObservedDaemonSet> {
    const { context } = this;
    const owner = { owner: set, ownerResource: DAEMON_SETS, selector: set.spec?.selector };
    const pods = await claim<Pod>(context, { ...owner, resource: PODS }, signal);
    const resource = CONTROLLER_REVISIONS;
    const revisions = await claim<ControllerRevision>(context, { ...owner, resource }, signal);
    return { set, pods, nodes: this.#nodes.list(), revisions, nowMs: context.clock.now() };
  }

  /** Whether it changed something. */
  async #apply(set: DaemonSet, step: DaemonSetStep, signal: AbortSignal): Promise<boolean> {
    const revision = await writeRevision(this.context, step.revision, signal);
    if (revision === 'collision') {
      const collisionCount = (set.status?.collisionCount ?? 0) + 1;
      const status = { ...NO_STATUS, ...set.status, collisionCount };
      return this.context.writer.setStatus<DaemonSet>(DAEMON_SETS, set, status, signal);
    }
    for (const note of step.events) this.#events.record(DAEMON_SETS, set, note);
    await this.#podControl.delete(set, step.delete, signal);
    const hash = step.revision === undefined ? '' : hashOf(step.revision.update);
    const made = step.createOn.map((node) => newDaemonPod(set, hash, node));
    const { failure } = await this.#podControl.create(set, made, signal);
    if (failure !== undefined) throw failure.error;
    return revision === 'changed' || step.delete.length > 0 || step.createOn.length > 0;
  }
}

/** A node that is added, removed or changes its labels or taints concerns every daemon set; its heartbeats none. */
function fromNodes(nodes: FreshView<Node>, sets: FreshView<DaemonSet>): Source {
  return fromMapped(
    nodes.informer,
    () => sets.list().map(objectKey),
    (node, old) =>
      !equivalentJson(node.spec, old.spec) || !equivalentJson(node.metadata.labels, old.metadata.labels),
  );
}
