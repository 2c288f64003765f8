import type { ExecutionData } from './execution-data.ts';
import type { WeighedFault } from './fault.ts';
import { type Phase, phaseOf } from './phases.ts';
import { NO_SCORE, type Score, scoreOf } from './score.ts';

/** What an agent says of a run. */
export interface RunEvent {
  /** Uid of the run's object. */
  readonly runID: string;
  readonly data: ExecutionData;
  /** Whether this is the agent's last word. */
  readonly isCompleted: boolean;
}

/** Who has ended a run: its agent's last word, a user who stopped it, or the server, whose patience ended before the agent took it. */
type EndedBy = 'agent' | 'user' | 'server';

/** What is stored of a run and counts for what becomes of it. */
export interface RunState {
  /** Empty while it is queued. */
  readonly runID: string;
  readonly phase: Phase;
  readonly endedBy: EndedBy | null;
  /** Whether the agent has said its last word. Nothing changes a run after that. */
  readonly isFinal: boolean;
  readonly progress: number;
}

/** What is stored of a run after an event. */
export interface RunChange extends RunState, Score {}

/** What becomes of an event. */
export type RunDecision =
  | { readonly kind: 'insert' | 'update'; readonly change: RunChange; readonly stopInCluster: boolean }
  | {
      readonly kind: 'discard';
      /** `duplicate`: the run was over; `stale`: something newer is known. */
      readonly why: 'duplicate' | 'stale';
    };

/**
 * Decides what an event does to its run. Events come twice, late, and in any order:
 *
 * - after the agent's last word nothing changes;
 * - an account of less than what is known is older, and is dropped;
 * - a run that a user has stopped stays `Stopped`, and takes graph and score of what the agent says afterwards. When the agent only then
 *   tells which object it is, that one has to be stopped (`stopInCluster`);
 * - a run that the server gave up lives on when the agent tells of it after all.
 *
 * Pure.
 */
export function decideRunEvent(
  run: RunState | undefined,
  event: RunEvent,
  faults: readonly WeighedFault[],
): RunDecision {
  const progress = progressOf(event.data);
  if (run?.isFinal === true) return { kind: 'discard', why: 'duplicate' };
  if (run !== undefined && !event.isCompleted && progress < run.progress) {
    return { kind: 'discard', why: 'stale' };
  }
  const isStopped = run?.endedBy === 'user';
  const score = event.isCompleted ? scoreOf(faults, event.data) : NO_SCORE;
  const change: RunChange = {
    ...score,
    runID: event.runID,
    phase: isStopped ? 'Stopped' : phaseOf(event.data),
    endedBy: isStopped ? 'user' : event.isCompleted ? 'agent' : null,
    isFinal: event.isCompleted,
    progress,
  };
  const stopInCluster = isStopped && run.runID === '' && !event.isCompleted;
  return { kind: run === undefined ? 'insert' : 'update', change, stopInCluster };
}

/** More nodes than any graph has. */
const MOST_NODES = 1_000_000;
const PHASES_ON_THE_WAY = ['Queued', 'Pending', 'Running'];

/** How far a run is: a number that only grows, from nodes that there are and nodes that have ended. Pure. */
function progressOf({ nodes, phase }: ExecutionData): number {
  const over = nodes.filter(({ isOver }) => isOver).length;
  const step = PHASES_ON_THE_WAY.indexOf(phase);
  const steps = PHASES_ON_THE_WAY.length;
  return (
    (over * MOST_NODES + Math.min(nodes.length, MOST_NODES - 1)) * (steps + 1) + (step < 0 ? steps : step)
  );
}
