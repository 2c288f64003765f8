/** What was answered to conversations, and how two answers are compared. */

/** What a line brought. Empty parts are left out. */
export interface Answer {
  readonly line: string;
  /** Exit code, where it is not 0. */
  readonly code?: number;
  readonly out?: readonly string[];
  readonly err?: readonly string[];
}

/** An answer from a program's end and its lines. Pure. */
export function answerOf(line: string, code: number, out: readonly string[], err: readonly string[]): Answer {
  return {
    line,
    ...(code === 0 ? {} : { code }),
    ...(out.length === 0 ? {} : { out }),
    ...(err.length === 0 ? {} : { err }),
  };
}

/** The answer as lines to read: what was typed, what was printed, what was complained about, how it ended. Pure. */
export function linesOf({ line, code = 0, out = [], err = [] }: Answer): string[] {
  return [
    `$ ${line}`,
    ...out,
    ...err.map((text) => `! ${text}`),
    ...(code === 0 ? [] : [`= exit code ${code}`]),
  ];
}

/** The numbers of the answers that differ, from 1. Pure. */
export function differing(recorded: readonly Answer[], ours: readonly Answer[]): number[] {
  const length = Math.max(recorded.length, ours.length);
  return Array.from({ length }, (_, index) => index + 1).filter(
    (number) => textOf(recorded[number - 1]) !== textOf(ours[number - 1]),
  );
}

function textOf(answer: Answer | undefined): string {
  return answer === undefined ? '' : linesOf(answer).join('\n');
}
