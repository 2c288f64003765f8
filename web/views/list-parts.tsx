import type { ReactElement, ReactNode } from 'react';
import type { ListAddress } from '../address/list.ts';
import type { Order } from '../models/table/order.ts';
import { Button } from '../parts/button/button.tsx';
import { Options } from '../parts/options/options.tsx';
import { Notice } from '../parts/panel/panel.tsx';
import { useKey } from './keys/use-key.ts';
import { PAGE_ROWS } from './pages.ts';
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
  // The value of the link stays a choice, even if nothing has it now.
  const isOffered = value === '' || choices.some(([one]) => one === value);
  return (
    <select aria-label={label} value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{all}</option>
      <Options choices={isOffered ? choices : [...choices, [value, value]]} />
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

/** The order of a list's table from its link. */
export function orderOf(
  order: Order | undefined,
  change: (changes: Pick<ListAddress, 'order' | 'page'>, how: 'push') => void,
): { readonly order: Order | undefined; onOrder(order: Order | undefined): void } {
  return { order, onOrder: (next) => change({ order: next, page: undefined }, 'push') };
}

/** The range of shown rows, their total, and links to other pages. */
export function ListFoot({
  page,
  total,
  onPage,
}: {
  readonly page: number;
  readonly total: number;
  onPage(page: number): void;
}): ReactElement {
  const last = Math.min(total, (page + 1) * PAGE_ROWS);
  return (
    <p className="facts">
      <span>
        {Math.min(page * PAGE_ROWS + 1, total)} to {last} of {total}
      </span>
      {page > 0 ? <Button look="link" label="Previous page" onClick={() => onPage(page - 1)} /> : null}
      {last < total ? <Button look="link" label="Next page" onClick={() => onPage(page + 1)} /> : null}
    </p>
  );
}
