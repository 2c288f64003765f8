import { BadInputError, CommandError, formatProblem } from '../../services/errors.ts';
import { ChaosError } from './errors.ts';
import type { RunResult } from './result.ts';

/** An error of the rooms below as those see it that use this package: by its code, with its problems; any other error as it is. */
export function asChaosError(error: unknown, result?: RunResult): unknown {
  if (!(error instanceof CommandError)) return error;
  const problems =
    error instanceof BadInputError
      ? error.problems.map((problem) => ({
          ...(problem.field !== undefined && { field: problem.field }),
          message: formatProblem(problem),
          code: problem.code,
        }))
      : [];
  return new ChaosError(error.message, { code: error.code, problems, cause: error.cause ?? error, result });
}
