import { EXIT, type ExitCode } from '../../process/exit-codes.ts';
import { BadInputError, CommandError, formatProblem } from '../errors.ts';
import type { RunFailure, RunReport } from './model.ts';

/** What is known of a run that came to no verdict. */
interface FailedRun {
  readonly turnsole: string;
  readonly startedAt: string;
  readonly endedAt: string;
}

/** The report of a run in which nothing ran: what went wrong, where people and CI systems look for verdicts. Pure. */
export function failureReport(error: unknown, run: FailedRun): RunReport {
  const failure = failureOf(error);
  const [first = ''] = failure.message.split('\n');
  return {
    ...run,
    aborted: failure.code === 'STOPPED',
    outcome: {
      word: failure.code === 'STOPPED' ? 'Stopped' : 'Could not run',
      by: 'run',
      isScored: false,
      exitCode: failure.exitCode,
      reason: first,
    },
    engines: [],
    failure,
  };
}

function failureOf(error: unknown): RunFailure & { readonly exitCode: ExitCode } {
  if (error instanceof BadInputError) {
    const { message, code, exitCode, problems } = error;
    const placed = problems.map((one) => ({
      file: one.file,
      ...(one.line !== undefined && { line: one.line }),
      code: one.code,
      text: formatProblem(one),
    }));
    return { message, code, exitCode, problems: placed };
  }
  if (error instanceof CommandError)
    return { message: error.message, code: error.code, exitCode: error.exitCode };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { message, code: 'UNFORESEEN', exitCode: EXIT.couldNotRun };
}
