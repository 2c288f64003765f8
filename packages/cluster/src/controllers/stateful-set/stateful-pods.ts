import { allInOrder } from '@turnsole/kube/base/all-in-order';
import { isAlreadyExists } from '@turnsole/kube/client/errors';
import type { ControllerContext, ObjectEvents } from '@turnsole/kube/controllers/context';
import { explain, isNamespaceGoing } from '@turnsole/kube/controllers/errors';
import type { FreshView } from '@turnsole/kube/controllers/fresh-view';
import type { EventNote } from '@turnsole/kube/controllers/plan';
import { objectKey, type Pod, type StatefulSet } from '@turnsole/kube/kinds/core';
import { PERSISTENT_VOLUME_CLAIMS, PODS, STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import type { PersistentVolumeClaim } from '../shared/types.ts';
import { goesWithEarlierPod, wantedOwners } from './claim-retention.ts';
import type { Removal, StatefulSetStep } from './decide-stateful-set.ts';
import { claimsFor, ordinalOf } from './identity.ts';

/** Creates and removes the pods of stateful sets with their claims, and records the Events that users know of it. */
export class StatefulPods {
  readonly #context: ControllerContext;
  readonly #claims: FreshView<PersistentVolumeClaim>;
  readonly #events: ObjectEvents;

  constructor(context: ControllerContext, claims: FreshView<PersistentVolumeClaim>) {
    this.#context = context;
    this.#claims = claims;
    this.#events = context.eventsOf('statefulset-controller');
  }

  /** Creates the pods, all at once; false when the set's namespace is being deleted. Throws the first failure when all have ended. */
  async create(set: StatefulSet, pods: StatefulSetStep['create'], signal: AbortSignal): Promise<boolean> {
    try {
      await allInOrder(pods.map(({ pod, ordinal }) => this.#createOne(set, pod, ordinal, signal)));
      return true;
    } catch (error) {
      if (!isNamespaceGoing(error)) throw error;
      return false;
    }
  }

  async #createOne(set: StatefulSet, pod: Pod, ordinal: number, signal: AbortSignal): Promise<void> {
    const { name } = pod.metadata;
    const about = `Create Pod ${name} in StatefulSet ${set.metadata.name}`;
    try {
      for (const wanted of claimsFor(set, ordinal)) await this.#ensureClaim(set, wanted, name, signal);
      await this.#context.writer.create<Pod>(PODS, pod, signal);
    } catch (error) {
      if (!isNamespaceGoing(error)) {
        const message = `${about} failed error: ${explain(error)}`;
        this.#record(set, { type: 'Warning', reason: 'FailedCreate', message });
      }
      throw error;
    }
    this.#record(set, { type: 'Normal', reason: 'SuccessfulCreate', message: `${about} successful` });
  }

  async #ensureClaim(
    set: StatefulSet,
    wanted: PersistentVolumeClaim,
    pod: string,
    signal: AbortSignal,
  ): Promise<void> {
    const present = this.#claims.get(objectKey(wanted));
    if (present !== undefined) {
      if (!goesWithEarlierPod(present)) return;
      throw new Error(`pvc ${wanted.metadata.name} is to be deleted`);
    }
    try {
      await this.#context.writer.create<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, wanted, signal);
    } catch (error) {
      // A claim outlives its pod; the next pod of that number takes it over.
      if (isAlreadyExists(error)) return;
      throw error;
    }
    const about = `Create Claim ${wanted.metadata.name} Pod ${pod} in StatefulSet ${set.metadata.name}`;
    this.#record(set, { type: 'Normal', reason: 'SuccessfulCreate', message: `${about} success` });
  }

  async remove(set: StatefulSet, { pod }: Removal, signal: AbortSignal): Promise<void> {
    await this.#context.writer.delete<Pod>(PODS, pod, signal);
    const message = `Delete Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} successful`;
    this.#record(set, { type: 'Normal', reason: 'SuccessfulDelete', message });
  }

  /** Has the claims of each pod go when they are to, and stay when not. */
  async keepClaimOwners(set: StatefulSet, own: readonly Pod[], signal: AbortSignal): Promise<void> {
    for (const pod of own) {
      const ordinal = ordinalOf(set, pod);
      if (ordinal === undefined) continue;
      for (const wanted of claimsFor(set, ordinal)) {
        const present = this.#claims.get(objectKey(wanted));
        const ownerReferences = present && wantedOwners(set, pod, ordinal, present);
        if (ownerReferences === undefined) continue;
        const { uid, resourceVersion } = present?.metadata ?? {};
        const metadata = { uid, resourceVersion, ownerReferences };
        await this.#context.writer.patch(PERSISTENT_VOLUME_CLAIMS, wanted, 'merge', { metadata }, signal);
      }
    }
  }

  #record(set: StatefulSet, note: EventNote): void {
    this.#events.record(STATEFUL_SETS, set, note);
  }
}
