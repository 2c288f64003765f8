import { objectKey, type Pod, type StatefulSet } from '../../../api/core.ts';
import {
  CONTROLLER_REVISIONS,
  PERSISTENT_VOLUME_CLAIMS,
  PODS,
  STATEFUL_SETS,
} from '../../../api/resources.ts';
import { isAlreadyExists } from '../../../kube/client/errors.ts';
import { type Controller, fromObjects, fromOwned } from '../../../kube/runtime/index.ts';
import { claim } from '../shared/claim.ts';
import { type ControllerContext, explain, isNamespaceGoing } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { equalJson } from '../shared/equal.ts';
import type { EventNote } from '../shared/plan.ts';
import { fromDependents, readOnly } from '../shared/sources.ts';
import type { ControllerRevision, PersistentVolumeClaim } from '../shared/types.ts';
import { writeRevision } from '../shared/write-revision.ts';
import { goesWithEarlierPod, wantedOwners } from './claim-retention.ts';
import { decideStatefulSet, type Removal, type StatefulSetStep } from './decide-stateful-set.ts';
import { claimsFor, ordinalOf } from './identity.ts';

/** Decisions per pass; what is left then is done in the next. */
const MAX_STEPS = 8;

/** Keeps the numbered pods of each stateful set, in order and with their claims. */
export function statefulSetController(context: ControllerContext): Controller {
  const { informers, writer, clock } = context;
  const sets = informers.view<StatefulSet>(STATEFUL_SETS);
  const pods = informers.view<Pod>(PODS);
  const revisions = informers.view<ControllerRevision>(CONTROLLER_REVISIONS);
  const claims = informers.view<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS);
  const events = context.eventsOf('statefulset-controller');

  function tell(set: StatefulSet, note: EventNote): void {
    events.record(STATEFUL_SETS, set, note);
  }

  async function apply(set: StatefulSet, step: StatefulSetStep, signal: AbortSignal): Promise<boolean> {
    const revision = await writeRevision(context, step.revision, signal);
    if (revision === 'collision') {
      const collisionCount = (set.status?.collisionCount ?? 0) + 1;
      const status = { replicas: 0, ...set.status, collisionCount };
      await writer.updateStatus<StatefulSet>(STATEFUL_SETS, { ...set, status }, signal);
      return true;
    }
    for (const removal of step.delete) await remove(set, removal, signal);
    const made = await Promise.allSettled(
      step.create.map(({ pod, ordinal }) => create(set, pod, ordinal, signal)),
    );
    const failed = made.find((result) => result.status === 'rejected');
    if (failed !== undefined) {
      if (isNamespaceGoing(failed.reason)) return false;
      throw failed.reason;
    }
    return revision === 'changed' || step.delete.length > 0 || step.create.length > 0;
  }

  async function create(set: StatefulSet, pod: Pod, ordinal: number, signal: AbortSignal): Promise<void> {
    const { name } = pod.metadata;
    const about = `create Pod ${name} in StatefulSet ${set.metadata.name}`;
    try {
      for (const wanted of claimsFor(set, ordinal)) await ensureClaim(set, wanted, name, signal);
      await writer.create<Pod>(PODS, pod, signal);
    } catch (error) {
      if (!isNamespaceGoing(error)) {
        const message = `${about} failed error: ${explain(error)}`;
        tell(set, { type: 'Warning', reason: 'FailedCreate', message });
      }
      throw error;
    }
    tell(set, { type: 'Normal', reason: 'SuccessfulCreate', message: `${about} successful` });
  }

  async function ensureClaim(
    set: StatefulSet,
    wanted: PersistentVolumeClaim,
    pod: string,
    signal: AbortSignal,
  ): Promise<void> {
    const present = claims.get(objectKey(wanted));
    if (present !== undefined) {
      if (!goesWithEarlierPod(present)) return;
      throw new Error(`pvc ${wanted.metadata.name} is to be deleted`);
    }
    try {
      await writer.create<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, wanted, signal);
    } catch (error) {
      // A claim outlives its pod; the next pod of that number takes it over.
      if (isAlreadyExists(error)) return;
      throw error;
    }
    const about = `create Claim ${wanted.metadata.name} Pod ${pod} in StatefulSet ${set.metadata.name}`;
    tell(set, { type: 'Normal', reason: 'SuccessfulCreate', message: `${about} success` });
  }

  /** Has the claims of each pod go when they are to, and stay when not. */
  async function keepClaimOwners(set: StatefulSet, own: readonly Pod[], signal: AbortSignal): Promise<void> {
    if ((set.spec?.volumeClaimTemplates ?? []).length === 0) return;
    for (const pod of own) {
      const ordinal = ordinalOf(set, pod);
      if (ordinal === undefined) continue;
      for (const wanted of claimsFor(set, ordinal)) {
        const present = claims.get(objectKey(wanted));
        const ownerReferences = present && wantedOwners(set, pod, ordinal, present);
        if (ownerReferences === undefined) continue;
        const { uid, resourceVersion } = present?.metadata ?? {};
        const metadata = { uid, resourceVersion, ownerReferences };
        await writer.patch(PERSISTENT_VOLUME_CLAIMS, wanted, 'merge', { metadata }, signal);
      }
    }
  }

  async function remove(set: StatefulSet, { pod, ended }: Removal, signal: AbortSignal): Promise<void> {
    if (ended !== undefined) {
      const [reason, word] =
        ended === 'failed' ? ['RecreatingFailedPod', 'failed'] : ['RecreatingTerminatedPod', 'terminated'];
      const name = `${set.metadata.namespace}/${set.metadata.name}`;
      const message = `StatefulSet ${name} is recreating ${word} Pod ${pod.metadata.name}`;
      tell(set, { type: ended === 'failed' ? 'Warning' : 'Normal', reason, message });
    }
    await writer.delete<Pod>(PODS, pod, signal);
    const message = `delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
    tell(set, { type: 'Normal', reason: 'SuccessfulDelete', message });
  }

  return createController(context, {
    name: 'statefulset',
    sources: [
      fromObjects(sets.informer),
      fromDependents(pods, sets, STATEFUL_SETS),
      fromOwned(revisions.informer, STATEFUL_SETS),
      readOnly(claims),
    ],
    reconcile: async ({ key }, signal) => {
      for (let steps = 0; ; steps++) {
        const set = sets.get(key);
        if (set === undefined) return undefined;
        const owner = { owner: set, ownerResource: STATEFUL_SETS, selector: set.spec?.selector };
        const isOurs = (pod: Pod): boolean => ordinalOf(set, pod) !== undefined;
        const own = await claim<Pod>(context, { ...owner, resource: PODS, eligible: isOurs }, signal);
        // Before pods go, so that the claims that go with them know it.
        await keepClaimOwners(set, own, signal);
        const step = decideStatefulSet({
          set,
          pods: own,
          revisions: await claim<ControllerRevision>(
            context,
            { ...owner, resource: CONTROLLER_REVISIONS },
            signal,
          ),
          nowMs: clock.now(),
        });
        if ((await apply(set, step, signal)) && steps < MAX_STEPS) continue;
        if (!equalJson(step.status, set.status)) {
          await writer.updateStatus<StatefulSet>(STATEFUL_SETS, { ...set, status: step.status }, signal);
        }
        for (const revision of step.deleteRevisions) {
          await writer.delete(CONTROLLER_REVISIONS, revision, signal);
        }
        return { requeueAfterMs: step.requeueAfterMs };
      }
    },
  });
}
