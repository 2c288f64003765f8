import type { ExecutionData } from '../../services/report/account/execution-data.ts';
import { isEndedByProbe } from '../../services/report/outcome/judged.ts';
import { accountOutcome, type ExpectedFault } from '../../services/report/outcome/of-account.ts';
import type { RunOutcome } from '../../services/report/outcome/run-outcome.ts';
import type { WeighedFault } from './fault.ts';
import { type Phase, phaseOf } from './phases.ts';
import { NO_SCORE, type Score, scoreOf } from './score.ts';

/** An agent's report about a run. */
export interface RunEvent {
  /** Uid of the run's object. */
  readonly runID: string;
  readonly data: ExecutionData;
  /** Whether this is the agent's final report. */
  readonly isCompleted: boolean;
}

/** Who has ended a run: its agent by the final report, a user who stopped it, or the server, because no agent picked it up in time. */
type EndedBy = 'agent' | 'user' | 'server';

/** Stored fields of a run that decide its further changes. */
export interface RunState {
  /** Empty while it is queued. */
  readonly runID: string;
  readonly phase: Phase;
  readonly endedBy: EndedBy | null;
  /** Whether the agent has sent its final report. Nothing changes a run after that. */
  readonly isFinal: boolean;
  readonly progress: number;
}

/** Stored fields of a run after an event. */
export interface RunChange extends RunState, Score {
  /** Null until the agent's final report, and for a run that a user stopped. */
  readonly outcome: RunOutcome | null;
}

/** Effect of an event. */
export type RunDecision =
  | { readonly kind: 'insert' | 'update'; readonly change: RunChange; readonly stopInCluster: boolean }
  | {
      readonly kind: 'discard';
      /** `duplicate`: the run was over; `stale`: the server has a newer report. */
      readonly why: 'duplicate' | 'stale';
    };

/**
 * Decides the effect of an event on its run. Events may arrive twice, late, and in any order:
 *
 * - after the agent's final report nothing changes;
 * - a report with less progress than the stored one is older, and is dropped;
 * - a run that a user has stopped stays `Stopped`, and takes graph and score from later reports. If the agent only then
 *   reports its object, that has to be stopped (`stopInCluster`);
 * - a run that the server gave up continues if the agent reports it after all.
 *
 * Pure.
 */
export function decideRunEvent(
  run: RunState | undefined,
  event: RunEvent,
  faults: readonly (WeighedFault & ExpectedFault)[],
): RunDecision {
  const progress = progressOf(event.data);
  if (run?.isFinal === true) return { kind: 'discard', why: 'duplicate' };
  if (run !== undefined && !event.isCompleted && progress < run.progress) {
    return { kind: 'discard', why: 'stale' };
  }
  // The server ended a workflow that no controller took up, and had it stopped: that it is stopped now is no news.
  if (run?.endedBy === 'server' && run.runID !== '' && event.data.phase === 'Stopped') {
    return { kind: 'discard', why: 'stale' };
  }
  const isStopped = run?.endedBy === 'user';
  const score = event.isCompleted ? scoreOf(faults, event.data) : NO_SCORE;
  const outcome = event.isCompleted && !isStopped ? outcomeOfReport(event.data, faults) : null;
  const change: RunChange = {
    ...score,
    outcome,
    runID: event.runID,
    phase: isStopped ? 'Stopped' : phaseOf(event.data, outcome),
    endedBy: isStopped ? 'user' : event.isCompleted ? 'agent' : null,
    isFinal: event.isCompleted,
    progress,
  };
  const stopInCluster = isStopped && run.runID === '' && !event.isCompleted;
  return { kind: run === undefined ? 'insert' : 'update', change, stopInCluster };
}

function outcomeOfReport(data: ExecutionData, faults: readonly ExpectedFault[]): RunOutcome {
  const isEnded = data.phase === 'Stopped' || data.phase === 'Terminated';
  const isStopped =
    isEnded &&
    !data.nodes.some(({ engine }) => engine && isEndedByProbe(engine.ownVerdict, engine.probes ?? []));
  return accountOutcome(data, { isStopped, isOver: true, problem: null, faults });
}

/** More nodes than any graph has. */
const MOST_NODES = 1_000_000;
const PHASES_ON_THE_WAY = ['Queued', 'Pending', 'Running'];

/** Progress of a run: a number that only grows, from the numbers of nodes and of ended nodes. Pure. */
function progressOf({ nodes, phase }: ExecutionData): number {
  const over = nodes.filter(({ isOver }) => isOver).length;
  const step = PHASES_ON_THE_WAY.indexOf(phase);
  const steps = PHASES_ON_THE_WAY.length;
  return (
    (over * MOST_NODES + Math.min(nodes.length, MOST_NODES - 1)) * (steps + 1) + (step < 0 ? steps : step)
  );
}
