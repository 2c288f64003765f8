import { KNOWN_DIFFERENCES } from '../differences.ts';

/** Numbers of the answers of each conversation that are known to differ; `unheld` where it is not expected to get so far. */
export const KNOWN: ReadonlyMap<string, readonly number[] | 'unheld'> = new Map(
  KNOWN_DIFFERENCES.flatMap(({ answers }) => Object.entries(answers)),
);
