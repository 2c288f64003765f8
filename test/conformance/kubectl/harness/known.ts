import { KNOWN_DIFFERENCES } from '../differences.ts';

/**
 * Numbers of the answers of each conversation that are known to differ with a version of kubectl, or with any where none is named; `unheld`
 * where it is not expected to get so far.
 */
export function knownDifferences(kubectl?: string): ReadonlyMap<string, readonly number[] | 'unheld'> {
  return new Map(
    KNOWN_DIFFERENCES.filter(
      ({ kubectl: only = kubectl }) => kubectl === undefined || only === kubectl,
    ).flatMap(({ answers }) => Object.entries(answers)),
  );
}
