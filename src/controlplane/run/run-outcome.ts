import { EXIT, type ExitCode } from '../../process/exit-codes.ts';
import type { OutcomeWord, RunOutcome } from '../../services/report/outcome/run-outcome.ts';
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
  if (completed === 0) {
    const word = phase === 'Queued' || phase === 'Running' ? phase : 'Pending';
    return { word, by: 'run', isScored: false };
  }
  // Whatever its agent reports: only this program writes the column.
  if (outcome !== null) return JSON.parse(outcome) as RunOutcome;
  if (problem !== null) return { ...ended('Could not run', EXIT.couldNotRun), reason: problem };
  return byPhase(phase, run);
}

function byPhase(phase: string, { faults_failed: failed, faults_passed: passed }: JudgedRun): RunOutcome {
  switch (phase) {
    case 'Stopped':
    case 'Terminated':
      return ended('Stopped', EXIT.aborted);
    case 'Completed_With_Probe_Failure':
      return { ...ended('Failed', EXIT.fail), by: 'chaos', isScored: true };
    case 'Completed':
      if (failed > 0) return { ...ended('Failed', EXIT.fail), by: 'chaos', isScored: true };
      return { ...ended('Passed', EXIT.pass), by: passed > 0 ? 'chaos' : 'run', isScored: passed > 0 };
    case 'Completed_With_Error':
      return { ...ended('Error', EXIT.fail), by: 'chaos' };
    default:
      return ended('Error', EXIT.couldNotRun);
  }
}

function ended(word: OutcomeWord, exitCode: ExitCode): RunOutcome {
  return { word, by: 'run', isScored: false, exitCode };
}

/** The score of a run that is over, where probes decided its outcome; null for any other one. Pure. */
export function scoreOfRow(run: JudgedRun): number | null {
  return outcomeOfRow(run).isScored ? run.score : null;
}

/** The outcome as clients see it. Pure. */
export function outcomeAnswer(run: JudgedRun): OutcomeAnswer {
  const { word, reason, by, exitCode } = outcomeOfRow(run);
  return {
    word,
    reason: reason ?? null,
    isByChaos: by === 'chaos',
    score: scoreOfRow(run),
    exitCode: exitCode ?? null,
  };
}
