import { isNotFound, unless } from '@turnsole/kube/client/errors';
import { type Condition, findCondition, setCondition } from '@turnsole/kube/kinds/conditions';
import type { Pod } from '@turnsole/kube/kinds/core';
import { JOBS, PODS } from '@turnsole/kube/kinds/resources';
import { withoutFinalizer } from '@turnsole/kube/runtime/finalizers';
import { messageOf } from '@turnsole/kube/text/error-message';
import { metaTime } from '@turnsole/kube/text/time';
import {
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  CONDITION_DRY_RUN,
  CONDITION_RECOVERED,
  ENGINE_FINALIZER,
  LABEL_CHAOS_UID,
  LABEL_RECOVERY,
} from '../../../api/index.ts';
import { verdictOfEngine } from '../../../chaos/engine-verdict.ts';
import type { EngineAction } from './actions.ts';
import { givenUpBecause, graceSeconds } from './decide-engine.ts';
import { ENGINE_EVENTS } from './engine-events.ts';
import type { EngineJournal, Line, Outcome } from './engine-journal.ts';
import { lastingConditions } from './engine-writes.ts';
import { endExperiments, settleResult } from './results.ts';

/** Actions that remove what a run has caused, and close it. */
export class CleanupActions {
  readonly #journal: EngineJournal;

  constructor(journal: EngineJournal) {
    this.#journal = journal;
  }

  async deleteChildren(
    engine: ChaosEngine,
    { phase, gracePeriodSeconds }: Extract<EngineAction, { type: 'deleteChildren' }>,
  ): Promise<Outcome> {
    const { client } = this.#journal;
    const { namespace = '', uid = '' } = engine.metadata;
    const options = {
      namespace,
      // A recovery goes on until it is done, whatever happens to the run.
      labelSelector: `${LABEL_CHAOS_UID}=${uid},!${LABEL_RECOVERY}`,
      propagationPolicy: 'Background',
      gracePeriodSeconds,
    } as const;
    try {
      // Jobs first: they make no pods any more. They have no use for a grace period themselves.
      await client.deleteCollection(JOBS, { ...options, gracePeriodSeconds: 0 });
      await client.deleteCollection(PODS, options);
    } catch (error) {
      const detail = messageOf(error);
      this.#journal.emit(engine, ENGINE_EVENTS.failed(phase, `Unable to delete chaos resources: ${detail}`));
      throw error;
    }
    this.#journal.log(engine).info({ phase, gracePeriodSeconds }, 'deleting jobs and pods');
    return this.#journal.append(engine, {
      step: phase === 'chaos restart' ? 'LeftoversDeleted' : 'Aborting',
      message: `${whyAborting(engine)}: deleting Jobs and pods, with ${gracePeriodSeconds} s to revert`,
    });
  }

  async forceDelete(
    engine: ChaosEngine,
    { phase, pods, unresponsive }: Extract<EngineAction, { type: 'forceDelete' }>,
  ): Promise<Outcome> {
    if (unresponsive) {
      const message =
        `pods ${pods.join(', ')} did not end in time (${graceSeconds({ engine })} s of grace) and are deleted by force; ` +
        'what they injected may still be on their nodes';
      await this.#journal.append(engine, { step: 'PodsUnresponsive', message });
      this.#journal.emit(engine, ENGINE_EVENTS.failed(phase, message));
    }
    return this.deletePods(engine, pods, true);
  }

  async deletePods(engine: ChaosEngine, pods: readonly string[], force: boolean): Promise<Outcome> {
    const { client } = this.#journal;
    const { namespace = '' } = engine.metadata;
    const grace = force ? { gracePeriodSeconds: 0 } : {};
    await Promise.all(
      pods.map(async (pod) => {
        await unless(
          isNotFound,
          client.delete<Pod>(PODS, pod, { namespace, propagationPolicy: 'Background', ...grace }),
        );
      }),
    );
    return {};
  }

  async finishAbort(
    engine: ChaosEngine,
    { left, ending }: Pick<Extract<EngineAction, { type: 'finishAbort' }>, 'left' | 'ending'>,
  ): Promise<Outcome> {
    const { namespace = '', uid = '' } = engine.metadata;
    const { items: results } = await this.#journal.client.list<ChaosResult>(CHAOS_RESULTS, {
      namespace,
      labelSelector: `${LABEL_CHAOS_UID}=${uid}`,
    });
    const nowMs = this.#journal.clock.now();
    const time = metaTime(nowMs);
    const failure = givenUpBecause(engine);
    const end = failure === undefined ? { time } : { time, failure };
    const wasRunning = engine.status?.engineStatus === 'initialized';
    const message = left.length === 0 ? endText(ending) : `ended, and left: ${left.join(', ')}`;
    // One time in the engine and in its results, also when this is done again: else the timeline would show the step twice.
    const at = keptTime(results, 'EngineStopped', engine.status?.runId) ?? new Date(nowMs).toISOString();
    const lines: Line[] = wasRunning || left.length > 0 ? [{ step: 'EngineStopped', message, time: at }] : [];
    const last = [...lines, ...removalOf(engine)];
    await Promise.all(results.map((result) => this.#settle(engine, result, last)));
    // The finalizer is removed last, and not before the pods: until then a crash leads back here.
    const experiments = endExperiments(engine, results, end);
    const outcome = await this.#journal.write(
      engine,
      {
        ...(ending === undefined ? { finalizers: withoutFinalizer(engine, ENGINE_FINALIZER) } : {}),
        status: {
          engineStatus: 'stopped',
          verdict: verdictOfEngine(experiments) ?? null,
          experiments,
          // Trouble that might have passed is not why this run ended.
          ...(wasRunning && failure === undefined
            ? { conditions: withOutcome(engine, lastingConditions(engine.status?.conditions)) }
            : {}),
        },
      },
      'status-first',
      ...lines,
    );
    if (left.length > 0) this.#journal.emit(engine, ENGINE_EVENTS.failed('chaos stop', message));
    if (wasRunning) this.#journal.emit(engine, ENGINE_EVENTS.stopped());
    this.#journal.log(engine).info({ left }, 'engine stopped');
    return outcome;
  }

  /**
   * Closes what the experiment has left open in its result, and keeps the steps of the engine there: it may be gone soon.
   * Idempotent; a result that is gone needs nothing.
   */
  async #settle(engine: ChaosEngine, result: ChaosResult, lines: readonly Line[]): Promise<void> {
    const engineTimeline = this.#journal.keptSteps(engine, result.status?.engineTimeline, lines);
    const settled = settleResult(result, givenUpBecause(engine));
    const patch = { ...settled, status: { ...settled?.status, engineTimeline } };
    const { client } = this.#journal;
    const { name, namespace = '', resourceVersion } = result.metadata;
    const place = { namespace };
    const { metadata, status } = patch;
    try {
      if (!(await client.hasStatusSubresource(CHAOS_RESULTS))) {
        const body = { metadata: { ...metadata, resourceVersion }, status };
        await client.patch(CHAOS_RESULTS, name, 'merge', body, place);
        return;
      }
      // History first: targets that still stand in annotations after a crash are merged once more, and not lost.
      const body = { metadata: { resourceVersion }, status };
      await client.patch(CHAOS_RESULTS, name, 'merge', body, { ...place, subresource: 'status' });
      if (metadata !== undefined) await client.patch(CHAOS_RESULTS, name, 'merge', { metadata }, place);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function endText(ending: number | undefined): string {
  if (ending === undefined) return 'all Jobs and pods of the engine are gone';
  if (ending === 0) return 'all pods of the engine have ended';
  return `nothing is in force any more; ${ending} pod${ending === 1 ? ' is' : 's are'} still ending`;
}

/** The time of a run's step in the results; undefined when none has it. */
function keptTime(
  results: readonly ChaosResult[],
  step: string,
  runId: string | undefined,
): string | undefined {
  const kept = results.flatMap(({ status }) => status?.engineTimeline ?? []);
  return kept.find((entry) => entry.step === step && entry.runId === runId)?.time;
}

/** Keeps the conditions about the outcome of a run until the engine begins another one. */
function withOutcome({ status }: ChaosEngine, conditions: Condition[]): Condition[] {
  return [CONDITION_RECOVERED, CONDITION_DRY_RUN]
    .map((type) => findCondition(status?.conditions, type))
    .reduce<Condition[]>(
      (all, condition) => (condition === undefined ? all : setCondition(all, condition)),
      conditions,
    );
}

function whyAborting({ metadata, spec }: ChaosEngine): string {
  if (metadata.deletionTimestamp !== undefined) return 'the engine is deleted';
  if (spec.engineState === 'stop') return 'the engine is stopped';
  return 'the engine starts again, and what its earlier run left is removed first';
}

/** The last step of an engine that is deleted: it cannot keep the step itself, its results can. */
function removalOf({ metadata }: ChaosEngine): Line[] {
  const { name, namespace = '', deletionTimestamp } = metadata;
  if (deletionTimestamp === undefined) return [];
  const object = `chaosengine/${namespace}/${name}`;
  return [{ step: 'EngineDeleted', object, message: `ChaosEngine ${namespace}/${name} is deleted` }];
}
