import { asLines } from '@turnsole/kube/text/visible';
import { BadInputError, type CommandError, formatProblem, type InputProblem } from '../../services/errors.ts';
import type { Style } from './style.ts';

/** The lines of an error: each problem of the input with its code, by which docs/errors.md is searched, or one code at the end. Pure. */
export function errorLines(error: CommandError, style: Style): string[] {
  if (error instanceof BadInputError) return error.problems.map((problem) => problemLine(problem, style));
  return coded(error.message, error.code, style).split('\n');
}

/** A problem as editors and CI logs link it, with its code at the end. Pure. */
function problemLine(problem: InputProblem, style: Style): string {
  return coded(formatProblem(problem), problem.code, style);
}

function coded(text: string, code: string, style: Style): string {
  return `${asLines(text)} ${style('dim', `[${code}]`)}`;
}
