/** The errors of chaos as code. */
import type { RunResult } from './result.ts';

/** One thing that is wrong with an experiment. */
export interface ChaosProblem {
  /** The field: `podDelete.duration` of a builder, `spec.experiments[0].name` of a manifest. */
  readonly field?: string;
  /** What was found, and what is expected. */
  readonly message: string;
  /** Its code in docs/errors.md, where it has one. */
  readonly code?: string;
}

/**
 * An experiment that cannot be built, planned or run. `code` is one of docs/errors.md: INPUT_REFUSED where the experiment is to blame, with
 * each problem in `problems`; STOPPED after an abort; RUN_TIMEOUT after the time limit.
 */
export class ChaosError extends Error {
  override readonly name: string = 'ChaosError';
  readonly code: string;
  /** Everything that is wrong with the experiment; empty where it is not to blame. */
  readonly problems: readonly ChaosProblem[];
  /** What became of a run that was stopped or not finished in time, where it had begun. Everything of it is reverted. */
  readonly result: RunResult | undefined;

  constructor(
    message: string,
    details: {
      readonly code: string;
      readonly problems?: readonly ChaosProblem[];
      readonly result?: RunResult | undefined;
      readonly cause?: unknown;
    },
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = details.code;
    this.problems = details.problems ?? [];
    this.result = details.result;
  }
}

/** The error of settings that a builder refuses. Pure. */
export function refusedSettings(problems: readonly ChaosProblem[]): ChaosError {
  const lines = problems.map(({ field, message }) =>
    field === undefined ? message : `${field}: ${message}`,
  );
  return new ChaosError(lines.join('\n'), { code: 'INPUT_REFUSED', problems });
}
