import type { ReactElement, ReactNode } from 'react';
import { LIST_ADDRESS, type ListAddress } from '../address/list.ts';
import type { Order } from '../models/table/order.ts';
import { Button } from '../parts/button/button.tsx';
import { Options } from '../parts/options/options.tsx';
import { Notice } from '../parts/panel/panel.tsx';
import { DataTable } from '../parts/table/data-table.tsx';
import { useKey } from './keys/use-key.ts';
import { PAGE_ROWS, pageOf } from './pages.ts';
import { useAddress } from './use-address.ts';
import './list-parts.css';

/** Changes the link of a list. */
export type ChangeList = (changes: Partial<ListAddress>, how: 'push' | 'replace') => void;

/** A field that filters a list; `/` focuses it. */
export function SearchField({
  value,
  onChange,
  children,
}: {
  readonly value: string;
  onChange(value: string): void;
  /** Further filters. */
  readonly children?: ReactNode;
}): ReactElement {
  useKey('/', 'to the filter of the list', () =>
    document.querySelector<HTMLInputElement>('.filter input[type="search"]')?.focus(),
  );
  return (
    <div className="filter">
      <label>
        Only names with{' '}
        <input
          type="search"
          value={value}
          autoComplete="off"
          onChange={({ target }) => onChange(target.value)}
        />
      </label>
      {children}
    </div>
  );
}

/** A filter by one of some values; the first choice is all of them. */
export function FilterChoice({
  label,
  all,
  value,
  choices,
  onChange,
}: {
  readonly label: string;
  /** Text of the first choice. */
  readonly all: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, words: string])[];
  onChange(value: string): void;
}): ReactElement {
  return (
    <select aria-label={label} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{all}</option>
      <Options choices={choices} own={value} />
    </select>
  );
}

/** Shows that filters hide all rows, and how many, with a button that removes the filters. */
export function FilteredOut({
  what,
  hidden,
  onClear,
}: {
  /** The hidden rows, as a noun: "run". */
  readonly what: string;
  /** Undefined until known. */
  readonly hidden: number | undefined;
  onClear(): void;
}): ReactElement {
  return (
    <Notice
      title={`No ${what} is like that`}
      {...(hidden !== undefined && {
        text: `${hidden} ${hidden === 1 ? 'is' : 'are'} hidden by the filters.`,
      })}
      action={{ label: 'Show all', do: onClear }}
    />
  );
}

/** The table of a list. Its order is in the link, and its page, if the list has pages. */
export function ListTable<Row>({
  rows,
  total,
  ...table
}: Omit<Parameters<typeof DataTable<Row>>[0], 'rows' | 'order' | 'onOrder'> & {
  readonly rows: readonly (Row | null)[];
  /** The number of rows of all pages; undefined for a list that has no pages. */
  readonly total?: number;
}): ReactElement {
  const { state, change } = useAddress(LIST_ADDRESS);
  return (
    <>
      <DataTable {...table} rows={rows.filter((row) => row !== null)} {...orderOf(state.order, change)} />
      {total === undefined ? null : <ListFoot page={state.page} total={total} change={change} />}
    </>
  );
}

/** The order of a list's table from its link. */
export function orderOf(
  order: Order | undefined,
  change: (changes: Pick<ListAddress, 'order' | 'page'>, how: 'push') => void,
): { readonly order: Order | undefined; onOrder(order: Order | undefined): void } {
  return { order, onOrder: (next) => change({ order: next, page: undefined }, 'push') };
}

/** The range of shown rows, their total, and links to other pages. */
export function ListFoot({
  page: given,
  total,
  change,
}: {
  /** From the link. */
  readonly page: number | undefined;
  readonly total: number;
  change(changes: Pick<ListAddress, 'page'>, how: 'push'): void;
}): ReactElement {
  const page = pageOf(given);
  const last = Math.min(total, (page + 1) * PAGE_ROWS);
  const show = (next: number): void => change({ page: next === 0 ? undefined : next }, 'push');
  return (
    <p className="facts">
      <span>
        {Math.min(page * PAGE_ROWS + 1, total)} to {last} of {total}
      </span>
      {page > 0 ? <Button look="link" label="Previous page" onClick={() => show(page - 1)} /> : null}
      {last < total ? <Button look="link" label="Next page" onClick={() => show(page + 1)} /> : null}
    </p>
  );
}
