import type { ExitCode } from '../../../process/exit-codes.ts';
import type { OutcomeWord, RunState } from './run-states.ts';

/** How one run ended: of a workflow with its engines, or of an engine alone. */
export interface RunOutcome {
  /** Absent in what was stored before there were states. */
  readonly state?: RunState;
  readonly word: OutcomeWord;
  /** Why, in words without a full stop at the end; undefined where the word says all. */
  readonly reason?: string;
  /** What a pass has shown, in words without a full stop: what was hit, how it came back, what users saw. */
  readonly survival?: string;
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
  survival,
}: {
  readonly word: string;
  readonly reason?: string | undefined;
  readonly survival?: string | undefined;
}): string {
  const said = [survival, reason].filter((text) => text !== undefined);
  return said.length === 0 ? word : `${word}: ${said.join('; ')}`;
}
