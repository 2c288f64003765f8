import { type DaemonSet, type Node, objectKey, type Pod } from '../../../api/core.ts';
import { CONTROLLER_REVISIONS, DAEMON_SETS, NODES, PODS } from '../../../api/resources.ts';
import { type Controller, fromObjects, fromOwned, type Source } from '../../../kube/runtime/index.ts';
import { claim } from '../shared/claim.ts';
import type { ControllerContext } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { equalJson } from '../shared/equal.ts';
import type { FreshView } from '../shared/fresh-view.ts';
import { PodControl } from '../shared/pod-control.ts';
import { fromDependents } from '../shared/sources.ts';
import type { ControllerRevision, DaemonSetStatus } from '../shared/types.ts';
import { writeRevision } from '../shared/write-revision.ts';
import { type DaemonSetStep, decideDaemonSet, hashOf, newDaemonPod } from './decide-daemon-set.ts';

/** Decisions per pass; what is left then is done in the next. */
const MAX_STEPS = 8;
const NO_STATUS: DaemonSetStatus = {
  currentNumberScheduled: 0,
  desiredNumberScheduled: 0,
  numberMisscheduled: 0,
  numberReady: 0,
};

/** Keeps one pod of each daemon set on every node that should have it. */
export function daemonSetController(context: ControllerContext): Controller {
  const { informers, writer, clock } = context;
  const sets = informers.view<DaemonSet>(DAEMON_SETS);
  const pods = informers.view<Pod>(PODS);
  const nodes = informers.view<Node>(NODES);
  const revisions = informers.view<ControllerRevision>(CONTROLLER_REVISIONS);
  const podControl = new PodControl(context, DAEMON_SETS, 'daemonset-controller');
  const events = context.eventsOf('daemonset-controller');

  async function apply(set: DaemonSet, step: DaemonSetStep, signal: AbortSignal): Promise<boolean> {
    const revision = await writeRevision(context, step.revision, signal);
    if (revision === 'collision') {
      const collisionCount = (set.status?.collisionCount ?? 0) + 1;
      const status = { ...NO_STATUS, ...set.status, collisionCount };
      await writer.updateStatus<DaemonSet>(DAEMON_SETS, { ...set, status }, signal);
      return true;
    }
    for (const note of step.events) events.record(DAEMON_SETS, set, note);
    await podControl.delete(set, step.delete, signal);
    const hash = step.revision === undefined ? '' : hashOf(step.revision.update);
    const made = step.createOn.map((node) => newDaemonPod(set, hash, node));
    const { failure } = await podControl.create(set, made, signal);
    if (failure !== undefined) throw failure.error;
    return revision === 'changed' || step.delete.length > 0 || step.createOn.length > 0;
  }

  return createController(context, {
    name: 'daemonset',
    sources: [
      fromObjects(sets.informer),
      fromDependents(pods, sets, DAEMON_SETS),
      fromOwned(revisions.informer, DAEMON_SETS),
      fromNodes(nodes, sets),
    ],
    reconcile: async ({ key }, signal) => {
      for (let steps = 0; ; steps++) {
        const set = sets.get(key);
        if (set === undefined) return undefined;
        const owner = { owner: set, ownerResource: DAEMON_SETS, selector: set.spec?.selector };
        const step = decideDaemonSet({
          set,
          pods: await claim<Pod>(context, { ...owner, resource: PODS }, signal),
          nodes: nodes.list(),
          revisions: await claim<ControllerRevision>(
            context,
            { ...owner, resource: CONTROLLER_REVISIONS },
            signal,
          ),
          nowMs: clock.now(),
        });
        if ((await apply(set, step, signal)) && steps < MAX_STEPS) continue;
        if (!equalJson(step.status, set.status)) {
          await writer.updateStatus<DaemonSet>(DAEMON_SETS, { ...set, status: step.status }, signal);
        }
        for (const revision of step.deleteRevisions) {
          await writer.delete(CONTROLLER_REVISIONS, revision, signal);
        }
        return { requeueAfterMs: step.requeueAfterMs };
      }
    },
  });
}

/** A node that comes, goes or changes its labels or taints concerns every daemon set; its heartbeats none. */
function fromNodes(nodes: FreshView<Node>, sets: FreshView<DaemonSet>): Source {
  return {
    subscribe: (enqueue) => {
      const enqueueAll = (): void => {
        for (const set of sets.list()) enqueue(objectKey(set));
      };
      return nodes.informer.addHandler({
        onAdd: enqueueAll,
        onUpdate: (node, old) => {
          const isSame =
            equalJson(node.spec, old.spec) && equalJson(node.metadata.labels, old.metadata.labels);
          if (!isSame) enqueueAll();
        },
        onDelete: enqueueAll,
      });
    },
    whenSynced: (signal) => nodes.informer.whenSynced(signal),
  };
}
