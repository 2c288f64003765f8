import type { Parameter } from '@turnsole/workflows/kinds/parameters';
import { HelperError } from '../failure.ts';

/** The end of a text that is kept as `outputs.result`. */
const MOST_RESULT_BYTES = 256 * 1024;

/** What a command printed as a result: without the newline at its end, and of a long text the end. Pure. */
export function resultOf(stdout: Buffer): string {
  return withoutNewline(stdout.subarray(Math.max(0, stdout.length - MOST_RESULT_BYTES)).toString('utf8'));
}

/** A text without the one newline at its end. Pure. */
function withoutNewline(text: string): string {
  return text.replace(/\r?\n$/, '');
}

/**
 * Output parameters with the values of their files. Pure.
 *
 * @param files the texts of the files, in the order of the parameters; undefined for a missing one
 * @param isRequired whether a file that is missing is an error
 * @throws HelperError
 */
export function parametersOf(
  parameters: readonly Parameter[],
  files: readonly (string | undefined)[],
  isRequired: boolean,
): Parameter[] {
  return parameters.flatMap((parameter, index) => {
    const { valueFrom } = parameter;
    if (valueFrom?.path === undefined) return [parameter];
    const text = files[index];
    const value = text === undefined ? valueFrom.default : withoutNewline(text);
    if (value !== undefined) return [{ ...parameter, value }];
    if (!isRequired) return [];
    throw new HelperError(
      `output parameter ${parameter.name}: main has left no file ${valueFrom.path}: let it write one, or give valueFrom.default`,
    );
  });
}
