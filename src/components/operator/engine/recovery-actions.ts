import { isNotFound, unless } from '@turnsole/kube/client/errors';
import { statusOptions } from '@turnsole/kube/client/status-subresources';
import { JOBS, PODS } from '@turnsole/kube/kinds/resources';
import {
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  CONDITION_RECOVERED,
  isOpen,
  LABEL_CHAOS_UID,
  LABEL_RECOVERY,
} from '../../../api/index.ts';
import type { EngineReason } from '../../../chaos/errors/engine-reasons.ts';
import { closeEntries, podRefusal, startAttempt } from '../../../engines/recover-result.ts';
import type { EngineAction } from './actions.ts';
import { ENGINE_EVENTS } from './engine-events.ts';
import type { EngineJournal, Outcome } from './engine-journal.ts';
import { RECOVERY_REFUSED } from './recovery.ts';

/** What this class carries out. */
type RecoveryAction = Extract<
  EngineAction,
  { type: 'closeEntries' | 'startRecovery' | 'checkRecovery' | 'reportLeft' | 'removeRecoveries' }
>;

/** Actions about what dead experiments left in force. */
export class RecoveryActions {
  readonly #journal: EngineJournal;

  constructor(journal: EngineJournal) {
    this.#journal = journal;
  }

  async apply(engine: ChaosEngine, action: RecoveryAction): Promise<Outcome> {
    switch (action.type) {
      case 'closeEntries':
        await closeEntries(this.#journal.client, action.result, action.ids);
        return {};
      case 'startRecovery':
        return this.#start(engine, action.result, action.attempt);
      case 'checkRecovery':
        return this.#check(engine, action.result, action.attempt);
      case 'reportLeft':
        return this.#reportLeft(engine, action.left, action.reason);
      case 'removeRecoveries':
        return this.#remove(engine);
    }
  }

  async #start(engine: ChaosEngine, result: ChaosResult, attempt: number): Promise<Outcome> {
    const { client } = this.#journal;
    let started: string | undefined;
    const onStart = (job: string): void => {
      started = job;
    };
    const refusal = await startAttempt(result, attempt, { client, onStart });
    if (refusal !== undefined) return this.#refused(engine, refusal);
    if (started === undefined) return {};
    const open = Object.values(result.status?.ledger ?? {}).filter(isOpen).length;
    this.#journal.log(engine).info({ job: started, open }, 'recovery started');
    return this.#journal.append(engine, {
      step: 'RecoveryStarted',
      message: `Job ${started} reverts ${open} injection(s) that ${result.spec?.experiment ?? 'an experiment'} left in force`,
      object: `chaosresult/${result.metadata.namespace ?? ''}/${result.metadata.name}`,
    });
  }

  async #check(engine: ChaosEngine, result: ChaosResult, attempt: number): Promise<Outcome> {
    const refusal = await podRefusal(this.#journal.client, result, attempt);
    return refusal === undefined ? {} : this.#refused(engine, refusal);
  }

  #refused(engine: ChaosEngine, message: string): Promise<Outcome> {
    const condition = this.#condition(engine, RECOVERY_REFUSED, message);
    return this.#journal.writeCondition(engine, condition, { step: RECOVERY_REFUSED, message });
  }

  async #reportLeft(engine: ChaosEngine, left: readonly string[], reason: string): Promise<Outcome> {
    const message = `not reverted (${reason}): ${left.join(', ')}; the ledger entries stay open`;
    const outcome = await this.#journal.writeCondition(
      engine,
      this.#condition(engine, 'NotReverted', message),
      { step: 'NotReverted', message },
    );
    this.#journal.emit(engine, ENGINE_EVENTS.failed('chaos stop', message));
    this.#journal.log(engine).error({ left, reason }, 'not everything could be reverted');
    await this.#noteInResults(engine, message);
    return outcome;
  }

  /** The engine may be about to vanish: its results keep what was left. */
  async #noteInResults(engine: ChaosEngine, message: string): Promise<void> {
    const { client } = this.#journal;
    const { namespace = '', uid = '' } = engine.metadata;
    const labelSelector = `${LABEL_CHAOS_UID}=${uid}`;
    const { items } = await client.list<ChaosResult>(CHAOS_RESULTS, { namespace, labelSelector });
    for (const { metadata, status } of items) {
      const open = Object.values(status?.ledger ?? {}).filter(isOpen);
      if (open.length === 0) continue;
      const ledger = Object.fromEntries(open.map(({ id }) => [id, { message }]));
      const options = await statusOptions(client, CHAOS_RESULTS, { namespace });
      await unless(
        isNotFound,
        client.patch(CHAOS_RESULTS, metadata.name, 'merge', { status: { ledger } }, options),
      );
    }
  }

  async #remove(engine: ChaosEngine): Promise<Outcome> {
    const { client } = this.#journal;
    const { namespace = '', uid = '' } = engine.metadata;
    const options = {
      namespace,
      labelSelector: `${LABEL_CHAOS_UID}=${uid},${LABEL_RECOVERY}`,
      propagationPolicy: 'Background',
      gracePeriodSeconds: 0,
    } as const;
    await client.deleteCollection(JOBS, options);
    await client.deleteCollection(PODS, options);
    return {};
  }

  #condition(engine: ChaosEngine, reason: EngineReason, message: string) {
    const condition = this.#journal.condition(engine, 'False', reason, message);
    return { ...condition, type: CONDITION_RECOVERED } as const;
  }
}
