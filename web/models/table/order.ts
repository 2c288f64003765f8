/** Order of rows: a column and a direction. */
export interface Order {
  /** ID of the column. */
  readonly by: string;
  /** Whether the largest is first. */
  readonly isDown: boolean;
}

/** The order after a click on a column's head: first ascending, then descending, then the default. Pure. */
export function nextOrder(before: Order | undefined, by: string): Order | undefined {
  if (before?.by !== by) return { by, isDown: false };
  return before.isDown ? undefined : { by, isDown: true };
}

/** Value of a row for comparisons. */
export type Comparable = string | number;

/** Rows sorted by a column; the sort is stable. Numbers precede texts, and texts sort naturally: `run 9`, `run 10`. Pure. */
export function ordered<Row>(
  rows: readonly Row[],
  isDown: boolean,
  keyOf: (row: Row) => Comparable,
): readonly Row[] {
  const sign = isDown ? -1 : 1;
  return rows
    .map((row) => [row, keyOf(row)] as const)
    .toSorted(([, a], [, b]) => sign * compare(a, b))
    .map(([row]) => row);
}

/** Created once: it costs more than comparing thousands of texts with it. */
const WORDS = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function compare(a: Comparable, b: Comparable): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return WORDS.compare(a, b);
  return typeof a === 'number' ? -1 : 1;
}
