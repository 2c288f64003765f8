import { type ReactNode, useState } from 'react';
import type { Comparable } from '../../models/table/order.ts';
import { readStored, store } from '../stored.ts';

/** A column of a table; the first one names the row, and is always shown. */
export interface Column<Row> {
  readonly id: string;
  readonly name: string;
  cell(row: Row): ReactNode;
  /** What rows are ordered by: here by what it gives, or by the server. @default they are not ordered by this column */
  readonly order?: ((row: Row) => Comparable) | 'server';
  /** Numbers stand under one another by their last digit. */
  readonly isNumber?: boolean;
}

/** Columns that the reader does not want of the table of this name; the browser keeps them. */
export function useHidden(name: string): readonly [ReadonlySet<string>, (id: string) => void] {
  const key = `turnsole.hidden.${name}`;
  const [hidden, setHidden] = useState(
    () => new Set((readStored(key) ?? '').split(' ').filter((id) => id !== '')),
  );
  const turn = (id: string): void => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    store(key, next.size === 0 ? undefined : [...next].join(' '));
    setHidden(next);
  };
  return [hidden, turn];
}
