import type { ErrorCode } from '../chaos/errors/result-errors.ts';
import type { ExitCode } from '../process/exit-codes.ts';
import { COMMAND_ERRORS, type CommandErrorCode } from './error-codes/command-errors.ts';
import type { InputCode } from './error-codes/input-codes.ts';

/** Ends the command with a message for people instead of a stack trace. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly code: CommandErrorCode;

  constructor(message: string, code: CommandErrorCode, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  get exitCode(): ExitCode {
    return COMMAND_ERRORS[this.code].exitCode;
  }
}

/** A remark on the input: where, what was found, what is expected. */
export interface InputNote {
  /** Path of the file as the user gave it. */
  readonly file: string;
  /** 1-based. */
  readonly line?: number;
  /** `ChaosEngine default/web`. */
  readonly object?: string;
  /** `spec.experiments[0].name`. */
  readonly field?: string;
  readonly message: string;
}

/** One thing that is wrong with the input. */
export interface InputProblem extends InputNote {
  readonly code: InputCode | ErrorCode;
}

/** The input is refused; carries every problem that was found, not just the first. */
export class BadInputError extends CommandError {
  override readonly name = 'BadInputError';
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    super(problems.map(formatProblem).join('\n'), 'INPUT_REFUSED');
    this.problems = problems;
  }
}

/** `chaos.yaml:12: ChaosEngine default/web: spec.experiments[0].name: …`, as editors and CI logs link it. */
export function formatProblem(problem: InputNote): string {
  const place = problem.line === undefined ? problem.file : `${problem.file}:${problem.line}`;
  return [place, problem.object, problem.field, problem.message]
    .filter((part) => part !== undefined)
    .join(': ');
}
