import { diff } from 'node:util';
import { type Answer, differing, linesOf } from './answers.ts';

/** What a comparison says: nothing where everything is as recorded or as known. */
export interface Comparison {
  /** Numbers of the answers that differ and are not known to. */
  readonly unknown: readonly number[];
  /** Numbers of the answers that are known to differ, and do not. */
  readonly past: readonly number[];
}

/** Compares our answers with the recorded ones. Pure. */
export function compare(
  recorded: readonly Answer[],
  ours: readonly Answer[],
  known: readonly number[],
): Comparison {
  const differ = differing(recorded, ours);
  return {
    unknown: differ.filter((number) => !known.includes(number)),
    past: known.filter((number) => !differ.includes(number)),
  };
}

/** The answers with these numbers: `-` only recorded, `+` only ours. Pure. */
export function describeAnswers(
  recorded: readonly Answer[],
  ours: readonly Answer[],
  numbers: readonly number[],
): string {
  return numbers
    .flatMap((number) => [`${number}.`, ...describeAnswer(recorded[number - 1], ours[number - 1])])
    .join('\n');
}

const MARKS = { '-1': '+', 0: ' ', 1: '-' } as const;
/** Lines that are alike are shown this far from one that is not. */
const AROUND = 3;

function describeAnswer(recorded: Answer | undefined, ours: Answer | undefined): string[] {
  const lines = (answer: Answer | undefined): string[] => (answer === undefined ? [] : linesOf(answer));
  const entries = diff(lines(recorded), lines(ours));
  const isNear = (index: number): boolean =>
    index === 0 ||
    entries.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(([operation]) => operation !== 0);
  return entries.flatMap(([operation, line], index) =>
    isNear(index) ? [`${MARKS[operation]} ${line}`] : [],
  );
}
