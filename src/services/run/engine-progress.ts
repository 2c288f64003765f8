import { findCondition } from '@turnsole/kube/kinds/conditions';
import { CONDITION_RUNNABLE } from '../../api/condition-types.ts';
import { runIsOver } from '../../api/engine-status.ts';
import { CHAOS_ENDED, CHAOS_STARTED, type ChaosEngine, type ChaosResult } from '../../api/index.ts';
import type { TimelineEntry } from '../../api/timeline.ts';
import { withCode } from '../../chaos/errors/row.ts';
import { belongsToRun } from '../../chaos/run-id.ts';
import { mergeTimeline } from '../report/timeline.ts';
import type { LiveState } from './progress.ts';

/** What one look at an engine and its results finds. */
export interface Observation {
  readonly engine: ChaosEngine | undefined;
  readonly results: readonly ChaosResult[];
}

/**
 * How the run of an engine stands.
 *
 * - `waiting`: no operator has taken it up yet.
 * - `running`: it is under way.
 * - `ended`: completed or stopped; `reason` is there when it could not be carried out.
 * - `gone`: the engine was deleted.
 */
export type EngineProgress =
  | { readonly state: 'waiting' | 'running' | 'gone' }
  | { readonly state: 'ended'; readonly reason?: string };

/**
 * Judges the run that follows an apply. The engine may carry the final state of its previous run until the operator has
 * seen the change; the run id (ours) or a state other than final (any operator) distinguishes the runs. Pure.
 *
 * @param previousRunId run id before the apply; undefined for a new engine
 * @param sawRunning whether this run has been seen under way before
 */
export function judgeProgress(
  engine: ChaosEngine | undefined,
  previousRunId: string | undefined,
  sawRunning: boolean,
): EngineProgress {
  if (engine === undefined) return { state: 'gone' };
  const { status } = engine;
  const reason = blockingReason(engine);
  const isThisRun = sawRunning || previousRunId === undefined || status?.runId !== previousRunId;
  if (runIsOver(status?.engineStatus) && isThisRun)
    return reason === undefined ? { state: 'ended' } : { state: 'ended', reason };
  // A run that was given up is over when what it left is reverted and removed: then it has its verdicts.
  if (status?.engineStatus === 'initialized') return { state: 'running' };
  if (reason !== undefined && engine.spec?.engineState === 'stop' && isThisRun)
    return { state: 'ended', reason };
  return { state: 'waiting' };
}

/** What the operator says that keeps the run from being carried out, if anything. */
function blockingReason(engine: ChaosEngine): string | undefined {
  const condition = findCondition(engine.status?.conditions, CONDITION_RUNNABLE);
  if (condition?.status !== 'False') return undefined;
  const { reason, message = 'the engine cannot run' } = condition;
  return reason === undefined ? message : withCode(message, reason);
}

/** Entries of the run that were not there at the last look, in order of time. Remembers what it has given out. */
export class TimelineFeed {
  readonly #seen = new Set<string>();

  next({ engine, results }: Observation, runId: string | undefined): TimelineEntry[] {
    return mergeTimeline(engine, results, runId).filter((entry) => {
      const identity = JSON.stringify([entry.time, entry.actor, entry.step, entry.object, entry.message]);
      if (this.#seen.has(identity)) return false;
      this.#seen.add(identity);
      return true;
    });
  }
}

/** The live line of an engine's run. Pure. */
export function liveStateOf({ engine, results }: Observation): LiveState | undefined {
  if (engine === undefined) return undefined;
  const name = `${engine.metadata.namespace ?? ''}/${engine.metadata.name}`;
  const running = engine.status?.experiments?.find(({ status }) => status === 'Running');
  const result = results.find(({ spec }) => spec?.experiment === running?.name);
  const outcome = result?.status?.experimentStatus;
  const startedAtMs = chaosStartedAtMs(result, engine.status?.runId);
  const duration = chaosDurationMs(engine, running?.name);
  return {
    engine: name,
    ...(running === undefined ? {} : { experiment: running.name }),
    phase: outcome?.phase ?? engine.status?.engineStatus ?? 'waiting for an operator',
    chaosStartedAtMs: startedAtMs,
    chaosDurationMs: duration,
    probes: (result?.status?.probeStatuses ?? []).map(({ name: probe, status }) => ({
      name: probe,
      verdict: status.verdict,
    })),
  };
}

/** When chaos began, while it lasts; the result still carries the timeline of earlier runs. */
function chaosStartedAtMs(result: ChaosResult | undefined, runId: string | undefined): number | undefined {
  const mark = result?.status?.timeline?.findLast(
    (entry) => isOfRun(entry.runId, runId) && (entry.step === CHAOS_STARTED || entry.step === CHAOS_ENDED),
  );
  return mark?.step === CHAOS_STARTED ? Date.parse(mark.time) : undefined;
}

function isOfRun(id: string | undefined, runId: string | undefined): boolean {
  return id === undefined || runId === undefined ? id === runId : belongsToRun(id, runId);
}

/** TOTAL_CHAOS_DURATION as the engine sets it; the experiment's own default is not known here. */
function chaosDurationMs(engine: ChaosEngine, experiment: string | undefined): number | undefined {
  const entry = engine.spec?.experiments?.find(({ name }) => name === experiment);
  const value = entry?.spec?.components?.env?.find(({ name }) => name === 'TOTAL_CHAOS_DURATION')?.value;
  const seconds = Number(value);
  return value === undefined || value === '' || !Number.isFinite(seconds) ? undefined : seconds * 1000;
}
