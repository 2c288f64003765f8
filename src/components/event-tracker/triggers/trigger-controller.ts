import { ApiError } from '@turnsole/kube/client/errors';
import { type StepOutcome, untilSettled } from '@turnsole/kube/controllers/controller';
import type { FreshView } from '@turnsole/kube/controllers/fresh-view';
import type { Condition } from '@turnsole/kube/kinds/conditions';
import { setConditionAt } from '@turnsole/kube/kinds/conditions';
import { type KubeObject, objectKey } from '@turnsole/kube/kinds/core';
import type { Basics } from '@turnsole/kube/runtime/basics';
import { TerminalError } from '@turnsole/kube/runtime/controller';
import {
  fromObjects,
  type ReconcileRequest,
  type ReconcileResult,
  type Source,
} from '@turnsole/kube/runtime/index';
import { equivalentJson } from '@turnsole/kube/text/json';
import {
  EVENT_TRACKER_POLICIES,
  type EventTrackerPolicy,
  type EventTrackerPolicyStatus,
} from '../../../api/index.ts';
import { type CompiledPolicy, compilePolicy, type PolicyReading } from '../policy/compile-policy.ts';
import type { ReadExpression } from '../policy/expression.ts';
import { canTrigger, type SeenWorkload, seeWorkload } from '../policy/workload.ts';
import { decideTriggers } from './decide-triggers.ts';
import { invalidCondition, readyCondition } from './ready-condition.ts';
import { firstStatus, isPending, mirrorOf } from './trigger-list.ts';
import type { Workloads } from './workloads.ts';

/** What finding triggers needs. */
interface TriggerControllerOptions extends Basics {
  readonly policies: FreshView<EventTrackerPolicy>;
  readonly workloads: Workloads;
  readonly read: ReadExpression;
  readonly onTriggers: (count: number) => void;
}

/**
 * Compares workloads with what each policy knows of them, and stores what has changed together with the triggers of it. Handing these
 * over is another controller's.
 */
export class TriggerController {
  readonly name = 'event-tracker-triggers';
  readonly #options: TriggerControllerOptions;
  /** By policy: what was read last, of which resource version's spec. */
  readonly #readings = new WeakMap<object, PolicyReading>();
  /** By object of the cache: what a policy sees of it. */
  readonly #seen = new WeakMap<KubeObject, Map<string, SeenWorkload>>();

  constructor(options: TriggerControllerOptions) {
    this.#options = options;
  }

  get sources(): readonly Source[] {
    const { policies, workloads } = this.#options;
    const all = (): readonly string[] => policies.informer.lister.keys();
    return [fromObjects(policies.informer), ...workloads.sources(all)];
  }

  reconcile({ key }: ReconcileRequest, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    return untilSettled(async () => {
      const policy = this.#options.policies.get(key);
      return policy === undefined ? undefined : this.#step(policy, signal);
    });
  }

  async #step(policy: EventTrackerPolicy, signal: AbortSignal): Promise<StepOutcome> {
    const { clock, onTriggers, logger } = this.#options;
    const before = policy.status ?? firstStatus(policy, clock.now());
    const reading = this.#readingOf(policy);
    if (reading.type === 'invalid') return this.#refuse(policy, before, reading.problems, signal);
    const workloads = this.#see(reading.policy);
    const { status, triggered, untracked } = decideTriggers({
      uid: policy.metadata.uid ?? '',
      policy: reading.policy,
      status: before,
      workloads,
      nowMs: clock.now(),
    });
    const condition = readyCondition(reading.policy, workloads, untracked);
    const changed = await this.#setStatus(policy, this.#withCondition(status, condition), signal);
    for (const { id, reason, resource, namespace, name } of triggered) {
      logger.info(
        { policy: objectKey(policy), trigger: id, workload: `${resource} ${namespace}/${name}`, reason },
        'a change triggers',
      );
    }
    if (triggered.length > 0) onTriggers(triggered.length);
    return { changed: changed || (await this.#mirror(policy, signal)) };
  }

  /** Reports what is wrong in the policy's status, where people look. */
  async #refuse(
    policy: EventTrackerPolicy,
    before: EventTrackerPolicyStatus,
    problems: readonly string[],
    signal: AbortSignal,
  ): Promise<StepOutcome> {
    const status = this.#withCondition(before, invalidCondition(problems));
    try {
      return { changed: await this.#setStatus(policy, status, signal) };
    } catch (cause) {
      if (!(cause instanceof ApiError) || cause.code !== 422) throw cause;
      // It was stored under an older definition, and under this one no write of it is taken, its status included.
      const what = `EventTrackerPolicy ${objectKey(policy)} cannot be carried out, and its status cannot say so`;
      throw new TerminalError(`${what}: ${problems.join('; ')}; mend or delete it`, { cause });
    }
  }

  #readingOf(policy: EventTrackerPolicy): PolicyReading {
    // An older definition may have let a policy in that has none.
    const of: object = policy.spec ?? policy;
    const present = this.#readings.get(of);
    if (present !== undefined) return present;
    const reading = compilePolicy(policy, this.#options.read);
    this.#readings.set(of, reading);
    return reading;
  }

  /** What a policy sees of the workloads; each state of a workload is evaluated once. */
  #see(policy: CompiledPolicy): SeenWorkload[] {
    return this.#options.workloads
      .tracked()
      .filter(({ object }) => canTrigger(object, policy))
      .map(({ kind, object }) => {
        const byKeys = this.#seen.get(object) ?? new Map<string, SeenWorkload>();
        this.#seen.set(object, byKeys);
        const seen = byKeys.get(policy.digest) ?? seeWorkload(kind, object, policy);
        byKeys.set(policy.digest, seen);
        return seen;
      });
  }

  #withCondition(status: EventTrackerPolicyStatus, condition: Condition): EventTrackerPolicyStatus {
    return { ...status, conditions: setConditionAt(status.conditions, condition, this.#options.clock.now()) };
  }

  async #setStatus(
    policy: EventTrackerPolicy,
    status: EventTrackerPolicyStatus,
    signal: AbortSignal,
  ): Promise<boolean> {
    if (equivalentJson(status, policy.status)) return false;
    const { client, policies } = this.#options;
    const { namespace } = policy.metadata;
    const options = { namespace, signal, subresource: 'status' };
    // Carries the resource version that the decision was based on: when another writer was faster, the decision is made anew.
    policies.wrote(
      await client.update<EventTrackerPolicy>(EVENT_TRACKER_POLICIES, { ...policy, status }, options),
    );
    return true;
  }

  /** Shows the triggers to those who read upstream's field. */
  async #mirror(policy: EventTrackerPolicy, signal: AbortSignal): Promise<boolean> {
    const triggers = policy.status?.triggers ?? [];
    // Triggers that have not been tried yet are about to be: then their end is shown, which saves a write that would meet another one.
    if (triggers.some((one) => isPending(one) && one.message === undefined)) return false;
    const statuses = mirrorOf(triggers);
    if (equivalentJson(statuses, policy.statuses)) return false;
    const { client, policies } = this.#options;
    const { namespace } = policy.metadata;
    const changed = { ...policy, statuses };
    policies.wrote(
      await client.update<EventTrackerPolicy>(EVENT_TRACKER_POLICIES, changed, { namespace, signal }),
    );
    return true;
  }
}
