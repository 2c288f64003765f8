import type { RunOutcome } from '../../services/report/outcome/run-outcome.ts';
import {
  RUN_STATES,
  type RunState,
  stateOfWord,
  stateRow,
  underWay,
} from '../../services/report/outcome/run-states.ts';
import type { RunOutcome as OutcomeAnswer } from '../schema/generated/types.ts';
import type { RunRow } from '../store/tables/runs.ts';

/** Stored fields of a run that its outcome depends on. */
type JudgedRun = Pick<
  RunRow,
  'outcome' | 'phase' | 'completed' | 'ended_by' | 'problem' | 'score' | 'faults_failed' | 'faults_passed'
>;

/**
 * The outcome of a run: as it was composed from its agent's final report, else by what the server knows of it: a run that is under way, that a
 * user stopped, that never began, or that ended before outcomes were stored. Pure.
 */
export function outcomeOfRow(run: JudgedRun): RunOutcome {
  const { outcome, phase, problem, completed } = run;
  if (completed === 0) return { ...underWay(phase), by: 'run', isScored: false };
  // Whatever its agent reports: only this program writes the column.
  if (outcome !== null) return JSON.parse(outcome) as RunOutcome;
  if (problem !== null) return { ...ended('refused'), reason: problem };
  return byPhase(phase, run);
}

function byPhase(phase: string, { faults_failed: failed, faults_passed: passed }: JudgedRun): RunOutcome {
  const byProbe: RunOutcome = { ...ended('failedByProbe'), by: 'chaos', isScored: true };
  switch (phase) {
    case 'Stopped':
    case 'Terminated':
      return ended('stopped');
    case 'Completed_With_Probe_Failure':
      return byProbe;
    case 'Completed':
      if (failed > 0) return byProbe;
      return passed > 0 ? { ...ended('passed'), by: 'chaos', isScored: true } : ended('unchecked');
    case 'Completed_With_Error':
      return { ...ended('error'), by: 'chaos' };
    case 'Skipped':
      return ended('skipped');
    default:
      // What kept it from running is not known any more.
      return { ...ended('cannotStart'), word: 'Error' };
  }
}

function ended(state: RunState): RunOutcome {
  const exitCode = stateRow(state)?.exitCode;
  const { word } = RUN_STATES[state];
  return { state, word, by: 'run', isScored: false, ...(exitCode !== undefined && { exitCode }) };
}

/** The score of a run that is over, where probes decided its outcome; null for any other one. Pure. */
export function scoreOfRow(run: JudgedRun): number | null {
  return outcomeOfRow(run).isScored ? run.score : null;
}

/** The outcome as clients see it. Pure. */
export function outcomeAnswer(run: JudgedRun): OutcomeAnswer {
  const { state, word, reason, survival, by, isScored, exitCode } = outcomeOfRow(run);
  return {
    state: state ?? stateOfWord(word, by, isScored),
    since: null,
    seconds: null,
    word,
    reason: reason ?? null,
    survival: survival ?? null,
    isByChaos: by === 'chaos',
    score: scoreOfRow(run),
    exitCode: exitCode ?? null,
  };
}
