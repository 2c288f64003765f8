import { EXIT, type ExitCode } from './exit-codes.ts';

/** Ends the command with a message for people instead of a stack trace. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** One thing that is wrong with the input: where, what was found, what is expected. */
export interface InputProblem {
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

/** The input is refused; carries every problem that was found, not just the first. */
export class BadInputError extends CommandError {
  override readonly name = 'BadInputError';
  readonly problems: readonly InputProblem[];

  constructor(problems: readonly InputProblem[]) {
    super(problems.map(formatProblem).join('\n'), EXIT.badInput);
    this.problems = problems;
  }
}

/** `chaos.yaml:12: ChaosEngine default/web: spec.experiments[0].name: …`, as editors and CI logs link it. */
export function formatProblem(problem: InputProblem): string {
  const place = problem.line === undefined ? problem.file : `${problem.file}:${problem.line}`;
  return [place, problem.object, problem.field, problem.message]
    .filter((part) => part !== undefined)
    .join(': ');
}
