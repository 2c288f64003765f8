/** By which column rows stand, and which way. */
export interface Order {
  /** ID of the column. */
  readonly by: string;
  /** Whether the largest comes first. */
  readonly isDown: boolean;
}

/** What a click on the head of a column makes of the order: first up, then down, then as it was at first. Pure. */
export function nextOrder(before: Order | undefined, by: string): Order | undefined {
  if (before?.by !== by) return { by, isDown: false };
  return before.isDown ? undefined : { by, isDown: true };
}

/** What a column compares rows by. */
export type Comparable = string | number;

/** Rows by a column; equals stay in their order. Numbers come before texts, and texts stand as a person orders them: `run 9`, `run 10`. Pure. */
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

/** Making one costs more than comparing thousands of texts with it. */
const WORDS = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function compare(a: Comparable, b: Comparable): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return WORDS.compare(a, b);
  return typeof a === 'number' ? -1 : 1;
}
