import type { ReactNode } from 'react';
import { PastTime } from '../time/past-time.tsx';
import type { Column } from './columns.ts';

/** A column of texts, by which rows can be sorted. Texts are isolated, since their direction may differ from the page's. */
export function textColumn<Row>(id: string, name: string, textOf: (row: Row) => string): Column<Row> {
  return { id, name, order: textOf, cell: (row) => <bdi>{textOf(row)}</bdi> };
}

/** A column of numbers, by which rows can be sorted. */
export function countColumn<Row>(id: string, name: string, countOf: (row: Row) => number): Column<Row> {
  return { id, name, isNumber: true, order: countOf, cell: countOf };
}

/**
 * A column of past times, by which rows can be sorted.
 *
 * @param timeOf milliseconds since the epoch, also as a text, as the API has them; 0 for none
 */
export function whenColumn<Row>(
  id: string,
  name: string,
  timeOf: (row: Row) => number | string,
): Column<Row> {
  const msOf = (row: Row): number => Number(timeOf(row));
  return { id, name, order: msOf, cell: (row) => <PastTime ms={msOf(row)} /> };
}

/** The last column, with the reader's actions on a row. */
export function actsColumn<Row>(acts: (row: Row) => ReactNode): Column<Row> {
  return { id: 'acts', name: 'Actions', cell: acts };
}
