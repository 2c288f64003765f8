import type { ExitCode } from '../../../process/exit-codes.ts';

/** The outcome of a run in a word or two, as lists, tables and messages show it. */
export type OutcomeWord =
  | 'Queued'
  | 'Pending'
  | 'Running'
  | 'Passed'
  | 'Failed'
  | 'Error'
  | 'Could not run'
  | 'Stopped'
  | 'Dry run';

/** How one run ended: of a workflow with its engines, or of an engine alone. */
export interface RunOutcome {
  readonly word: OutcomeWord;
  /** Why, in words without a full stop at the end; undefined where the word says all. */
  readonly reason?: string;
  /** What decided: the verdicts of its experiments (`chaos`), or something else (`run`), such as a failed step or a refusal. */
  readonly by: 'chaos' | 'run';
  /** Whether it has a score: whether probes decided, and judged anything. */
  readonly isScored: boolean;
  /** Undefined while it is under way. */
  readonly exitCode?: ExitCode;
}

/** The outcome in one line: `Failed: smoke-test ended with exit code 3; the application held through the chaos`. Pure. */
export function outcomeSentence({
  word,
  reason,
}: {
  readonly word: string;
  readonly reason?: string;
}): string {
  return reason === undefined ? word : `${word}: ${reason}`;
}
