import { isAlreadyExists, isConflict, isForbidden, isNotFound, unless } from '@turnsole/kube/client/errors';
import { statusOptions } from '@turnsole/kube/client/status-subresources';
import type { NewObject, WriteOptions } from '@turnsole/kube/client/types';
import { findCondition, setCondition } from '@turnsole/kube/kinds/conditions';
import type { Basics } from '@turnsole/kube/runtime/basics';
import type { Reconcile, ReconcileResult } from '@turnsole/kube/runtime/controller';
import { ownerReference } from '@turnsole/kube/runtime/owner-references';
import { messageOf } from '@turnsole/kube/text/error-message';
import { CONDITION_RUNNABLE } from '../../../api/condition-types.ts';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  CHAOS_SCHEDULES,
  type ChaosEngine,
  type ChaosResult,
  type ChaosSchedule,
  isOpen,
  LABEL_CHAOS_UID,
} from '../../../api/index.ts';
import { plainFieldError, validateSchedule } from '../../../api/validation/index.ts';
import { occurrenceOf } from '../../../chaos/schedule/occurrence.ts';
import { problemsText } from '../engine/engine-problems.ts';
import { decideSchedule, type ScheduleDecision, type ScheduleEvent } from './decide-schedule.ts';

/** After a conflict the informer brings the newer schedule within moments; if it does not, look again after this time. */
const CONFLICT_RETRY_MS = 100;
/** Timers of Node hold no more than 24 days; longer waits are made in stages. */
const MAX_WAIT_MS = 24 * 60 * 60 * 1000;

/** What the reconciler works with. */
interface ScheduleReconcilerOptions extends Basics {
  readonly schedules: { get(key: string): ChaosSchedule | undefined };
  /** Whether the safety lever is pulled in a namespace. */
  readonly isHalted?: (namespace: string) => boolean;
  /** Engines in the local copy that the schedule of this uid owns. */
  readonly enginesOf: (scheduleUid: string) => readonly ChaosEngine[];
  readonly emit: (schedule: ChaosSchedule, event: ScheduleEvent) => void;
}

/** Gather, decide, apply for one schedule. */
export class ScheduleReconciler {
  readonly #options: ScheduleReconcilerOptions;
  /** The last engine made for a schedule, until the local copy shows it: without it a run would look over before it began. */
  readonly #created = new Map<string, ChaosEngine>();
  /** Generations that were refused already, so that the same problem is reported once. */
  readonly #refused = new Map<string, number>();

  constructor(options: ScheduleReconcilerOptions) {
    this.#options = options;
  }

  /** Forgets a schedule that was deleted. */
  forget(uid: string): void {
    this.#created.delete(uid);
    this.#refused.delete(uid);
  }

  readonly reconcile: Reconcile = async ({ key }, signal) => {
    const stored = this.#options.schedules.get(key);
    const schedule = stored === undefined ? undefined : this.#asHalted(stored);
    if (schedule === undefined) return undefined;
    try {
      return await this.#reconcileOne(schedule, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (isConflict(error)) return { requeueAfterMs: CONFLICT_RETRY_MS };
      throw error;
    }
  };

  async #reconcileOne(schedule: ChaosSchedule, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const problems = problemsOf(schedule);
    await this.#judge(schedule, problems, signal);
    if (problems.length > 0) return undefined;
    const engines = await this.#engines(schedule, signal);
    const decision = decideSchedule({ schedule, engines, nowMs: this.#options.clock.now() });
    await this.#apply(schedule, decision, signal);
    if (decision.wakeAtMs === undefined) return undefined;
    const waitMs = decision.wakeAtMs - this.#options.clock.now();
    return { requeueAfterMs: Math.min(MAX_WAIT_MS, Math.max(1, waitMs)) };
  }

  /** The safety lever does to an active schedule what its own state `halt` does. */
  #asHalted(schedule: ChaosSchedule): ChaosSchedule {
    const { scheduleState = '' } = schedule.spec;
    const isActive = scheduleState === '' || scheduleState === 'active';
    if (!isActive || this.#options.isHalted?.(schedule.metadata.namespace ?? '') !== true) return schedule;
    return { ...schedule, spec: { ...schedule.spec, scheduleState: 'halt' } };
  }

  /** Reports problems of a schedule: by an Event once, and by a condition as long as they last. */
  async #judge(schedule: ChaosSchedule, problems: readonly string[], signal: AbortSignal): Promise<void> {
    const { uid = '', generation = 0 } = schedule.metadata;
    const message = problemsText(problems);
    if (problems.length === 0) this.#refused.delete(uid);
    else if (this.#refused.get(uid) !== generation) {
      this.#refused.set(uid, generation);
      const text = `Cannot determine if engine needs to be started: ${message}`;
      this.#options.emit(schedule, { type: 'Warning', reason: 'FailedNeedsStart', message: text });
    }
    const present = schedule.status?.conditions ?? [];
    const known = findCondition(present, CONDITION_RUNNABLE);
    if (problems.length === 0 ? known === undefined : known?.message === message) return;
    const lastTransitionTime = new Date(this.#options.clock.now()).toISOString();
    const conditions =
      problems.length === 0
        ? null
        : setCondition(present, {
            type: CONDITION_RUNNABLE,
            status: 'False',
            reason: 'InvalidSpec',
            message,
            lastTransitionTime,
            observedGeneration: generation,
          });
    const { client } = this.#options;
    const { name, namespace } = schedule.metadata;
    const options = await statusOptions(client, CHAOS_SCHEDULES, { namespace, signal });
    const patch = { metadata: { uid }, status: { conditions } };
    await client.patch(CHAOS_SCHEDULES, name, 'merge', patch, options);
  }

  async #engines({ metadata }: ChaosSchedule, signal: AbortSignal): Promise<readonly ChaosEngine[]> {
    const { uid = '', namespace } = metadata;
    const engines = this.#options.enginesOf(uid);
    const created = this.#created.get(uid);
    if (created === undefined) return engines;
    if (engines.some((engine) => engine.metadata.uid === created.metadata.uid)) {
      this.#created.delete(uid);
      return engines;
    }
    const place = { namespace, signal };
    const found = await this.#options.client.find<ChaosEngine>(CHAOS_ENGINES, created.metadata.name, place);
    if (found !== undefined && found.metadata.uid === created.metadata.uid) return [...engines, found];
    this.#created.delete(uid);
    return engines;
  }

  async #apply(schedule: ChaosSchedule, decision: ScheduleDecision, signal: AbortSignal): Promise<void> {
    const { client, emit } = this.#options;
    const { namespace } = schedule.metadata;
    const place = { namespace, signal };
    for (const name of decision.stop) {
      const patch = { spec: { engineState: 'stop' } };
      await unless(isNotFound, client.patch(CHAOS_ENGINES, name, 'merge', patch, place));
    }
    if (decision.create !== undefined) await this.#create(schedule, decision.create, place);
    for (const name of decision.remove) await this.#remove(schedule, name, place);
    await this.#write(schedule, decision, place);
    for (const event of decision.events) emit(schedule, event);
  }

  /** Takes away an ended engine, and before it what it left: nothing would lead to its results afterwards. */
  async #remove(schedule: ChaosSchedule, name: string, place: WriteOptions): Promise<void> {
    const { client, enginesOf, logger } = this.#options;
    const { uid = '' } = schedule.metadata;
    const engine = enginesOf(uid).find(({ metadata }) => metadata.name === name);
    if (engine?.metadata.uid !== undefined) {
      const labelSelector = `${LABEL_CHAOS_UID}=${engine.metadata.uid}`;
      const { items } = await client.list<ChaosResult>(CHAOS_RESULTS, { ...place, labelSelector });
      for (const result of items.filter(isSettled)) {
        const preconditions = { uid: result.metadata.uid };
        const isGone = (error: unknown): boolean => isNotFound(error) || isConflict(error);
        const deleted = client.delete(CHAOS_RESULTS, result.metadata.name, { ...place, preconditions });
        // A role of an older installation may not delete results: they stay, as they did then.
        await unless((error) => isGone(error) || isForbidden(error), deleted);
      }
      logger.info({ schedule: schedule.metadata.name, engine: name }, 'engine beyond historyLimit removed');
    }
    await unless(isNotFound, client.delete(CHAOS_ENGINES, name, place));
  }

  async #create(schedule: ChaosSchedule, name: string, place: WriteOptions): Promise<void> {
    const { client, emit, logger } = this.#options;
    const { uid = '' } = schedule.metadata;
    try {
      const engine = await client.create<ChaosEngine>(CHAOS_ENGINES, engineOfSchedule(schedule, name), place);
      this.#created.set(uid, engine);
      logger.info({ schedule: schedule.metadata.name, engine: name }, 'engine created');
      emit(schedule, { type: 'Normal', reason: 'SuccessfulCreate', message: `Created engine ${name}` });
    } catch (error) {
      if (isAlreadyExists(error)) {
        const present = await client.find<ChaosEngine>(CHAOS_ENGINES, name, place);
        // Created by a pass that died before it wrote the status.
        if (present?.metadata.ownerReferences?.some((owner) => owner.uid === uid)) {
          this.#created.set(uid, present);
          return;
        }
      }
      const why = isAlreadyExists(error)
        ? `an engine ${name} is there that this schedule has not made; delete it, or give the schedule another name`
        : messageOf(error);
      emit(schedule, { type: 'Warning', reason: 'FailedCreate', message: `Error creating engine: ${why}` });
      throw error;
    }
  }

  /** Status and state in one request, or the status first where it is a subresource: a pass that dies between is repeated. */
  async #write(
    { metadata }: ChaosSchedule,
    { status, state }: ScheduleDecision,
    place: WriteOptions,
  ): Promise<void> {
    const { client } = this.#options;
    const { name, uid, resourceVersion } = metadata;
    const statusPatch = status === undefined ? {} : { status: withNulls(status) };
    const specPatch = state === undefined ? {} : { spec: { scheduleState: state } };
    if (status === undefined && state === undefined) return;
    if (!(await client.hasStatusSubresource(CHAOS_SCHEDULES))) {
      const patch = { metadata: { uid, resourceVersion }, ...specPatch, ...statusPatch };
      await client.patch(CHAOS_SCHEDULES, name, 'merge', patch, place);
      return;
    }
    if (status !== undefined) {
      const patch = { metadata: { uid, resourceVersion }, ...statusPatch };
      await client.patch(CHAOS_SCHEDULES, name, 'merge', patch, { ...place, subresource: 'status' });
    }
    if (state !== undefined) {
      await client.patch(CHAOS_SCHEDULES, name, 'merge', { metadata: { uid }, ...specPatch }, place);
    }
  }
}

/** Whether nothing that a result records is still in force: its ledger leads to what has to be reverted. Pure. */
function isSettled({ status }: ChaosResult): boolean {
  return !Object.values(status?.ledger ?? {}).some(isOpen);
}

/** Problems of a schedule that must not run. Pure. */
function problemsOf(schedule: ChaosSchedule): string[] {
  if (schedule.metadata.deletionTimestamp !== undefined) return [];
  return validateSchedule(schedule).map(plainFieldError);
}

/** A merge patch removes a field only when it says null. */
function withNulls(status: NonNullable<ChaosSchedule['status']>): Record<string, unknown> {
  const { schedule } = status;
  return {
    ...status,
    schedule: {
      ...schedule,
      endTime: schedule?.endTime ?? null,
      expectedNextRunTime: schedule?.expectedNextRunTime ?? null,
    },
  };
}

/**
 * The engine that a schedule makes of its template. Pure. A controller owner reference removes it with its schedule.
 */
function engineOfSchedule(schedule: ChaosSchedule, name: string): NewObject<ChaosEngine> {
  const { metadata, ...engine } = occurrenceOf(schedule, name);
  const { app, ...further } = metadata.labels;
  return {
    ...engine,
    metadata: {
      ...metadata,
      labels: { app, chaosUID: schedule.metadata.uid ?? '', ...further },
      ownerReferences: [ownerReference(CHAOS_SCHEDULES, schedule)],
    },
  };
}
