import { ApiError } from '@turnsole/kube/client/errors';
import type { FreshView } from '@turnsole/kube/controllers/fresh-view';
import { objectKey } from '@turnsole/kube/kinds/core';
import type { Basics } from '@turnsole/kube/runtime/basics';
import {
  fromObjects,
  type ReconcileRequest,
  type ReconcileResult,
  retryOnConflict,
} from '@turnsole/kube/runtime/index';
import { messageOf } from '@turnsole/kube/text/error-message';
import { EVENT_TRACKER_POLICIES, type EventTrackerPolicy, type PolicyTrigger } from '../../../api/index.ts';
import { isPending, type TriggerEnd, withEnd } from '../triggers/trigger-list.ts';
import type { Outcome } from './decide-outcome.ts';
import type { Holds } from './holds.ts';
import type { Notifier } from './notify.ts';
import { startLocal } from './start-local.ts';

/** What handing over needs. */
interface DispatchOptions extends Basics {
  readonly policies: FreshView<EventTrackerPolicy>;
  readonly notifier: Pick<Notifier, 'notify'>;
  readonly holds: Holds;
  readonly onOutcome: (outcome: string) => void;
}

/** The server as a whole, among the holds: ids of triggers have no such name. */
const SERVER = 'server';

/**
 * Hands over what waits in the policies' statuses, the oldest of a policy first: to the control plane, or by creating what the policy
 * names. What became of it is stored after that, so a death in between hands it over a second time, with the same id.
 */
export class DispatchController {
  readonly name = 'event-tracker-dispatch';
  readonly #options: DispatchOptions;

  constructor(options: DispatchOptions) {
    this.#options = options;
  }

  get sources() {
    return [fromObjects(this.#options.policies.informer)];
  }

  async reconcile({ key }: ReconcileRequest, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { policies } = this.#options;
    let soonest = Number.POSITIVE_INFINITY;
    const policy = policies.get(key);
    if (policy === undefined) return undefined;
    for (const trigger of (policy.status?.triggers ?? []).filter(isPending)) {
      if (this.#waitMs(trigger) === 0 && (await this.#handOver(policy, trigger, signal))) continue;
      soonest = Math.min(soonest, this.#waitMs(trigger));
    }
    // A status that was written meanwhile brings the key back by itself.
    return Number.isFinite(soonest) ? { requeueAfterMs: Math.ceil(soonest) } : undefined;
  }

  #waitMs(trigger: PolicyTrigger): number {
    const { holds } = this.#options;
    return Math.max(holds.waitMs(trigger.id), isLocal(trigger) ? 0 : holds.waitMs(SERVER));
  }

  /** Whether the trigger is over. */
  async #handOver(policy: EventTrackerPolicy, trigger: PolicyTrigger, signal: AbortSignal): Promise<boolean> {
    const { holds, onOutcome, logger } = this.#options;
    const outcome = await this.#attempt(policy, trigger, signal);
    const fields = {
      policy: objectKey(policy),
      trigger: trigger.id,
      workload: `${trigger.resource} ${trigger.namespace}/${trigger.name}`,
    };
    if (outcome.type === 'ended') {
      holds.release(trigger.id);
      if (!isLocal(trigger)) holds.release(SERVER);
      await this.#store(policy, trigger, outcome.end, signal);
      onOutcome(outcome.end.state);
      logger.info({ ...fields, detail: outcome.end.message }, 'trigger handed over');
      return true;
    }
    if (outcome.type === 'unreachable') holds.hold(SERVER, outcome.afterMs);
    else {
      holds.hold(trigger.id);
      if (!isLocal(trigger)) holds.release(SERVER);
    }
    onOutcome(outcome.type);
    logger.warn({ ...fields, detail: outcome.why }, 'trigger waits');
    await this.#store(policy, trigger, { state: 'Pending', message: outcome.why }, signal);
    return false;
  }

  async #attempt(policy: EventTrackerPolicy, trigger: PolicyTrigger, signal: AbortSignal): Promise<Outcome> {
    const { client, notifier } = this.#options;
    const { start } = policy.spec;
    const { namespace = '' } = policy.metadata;
    try {
      if (trigger.experimentID !== undefined) return await notifier.notify(trigger, signal);
      if (start !== undefined) return await startLocal(client, start, trigger, namespace, signal);
      return { type: 'held', why: 'spec.start is not there any more, and the trigger has no experiment' };
    } catch (error) {
      signal.throwIfAborted();
      // The cluster refused this trigger alone: the reason is stored in the policy's status, and the trigger is tried again.
      if (error instanceof ApiError) return { type: 'held', why: messageOf(error) };
      throw error;
    }
  }

  async #store(
    policy: EventTrackerPolicy,
    { id }: PolicyTrigger,
    end: TriggerEnd,
    signal: AbortSignal,
  ): Promise<void> {
    const { client, policies, clock } = this.#options;
    const { name, namespace } = policy.metadata;
    const place = { namespace, signal };
    await retryOnConflict(
      async (attempt) => {
        const present =
          attempt === 1
            ? (policies.get(objectKey(policy)) ?? policy)
            : await client.get<EventTrackerPolicy>(EVENT_TRACKER_POLICIES, name, place);
        const before = present.status ?? {};
        const status = withEnd(before, id, end, clock.now());
        if (status === before) return;
        const changed = { ...present, status };
        policies.wrote(
          await client.update<EventTrackerPolicy>(EVENT_TRACKER_POLICIES, changed, {
            ...place,
            subresource: 'status',
          }),
        );
      },
      { signal, clock },
    );
  }
}

/** A trigger is sent as it was stored, whatever its policy says now. */
function isLocal({ experimentID }: PolicyTrigger): boolean {
  return experimentID === undefined;
}
