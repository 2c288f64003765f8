import { type ReactNode, useState } from 'react';
import type { Comparable } from '../../models/table/order.ts';
import { readStored, store } from '../stored.ts';

/** A column of a table; the first one names the row, and is always shown. */
export interface Column<Row> {
  readonly id: string;
  readonly name: string;
  cell(row: Row): ReactNode;
  /** Sorting by this column: here by the returned value, or by the server. @default none */
  readonly order?: ((row: Row) => Comparable) | 'server';
  /** Whether to align numbers right. */
  readonly isNumber?: boolean;
}

/** Columns of a table that the reader has hidden; the browser stores them by the table's name. */
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
