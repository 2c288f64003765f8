import type { ReactElement } from 'react';
import { PAGE_ROWS } from './pages.ts';

/** A field by which a list is filtered. */
export function SearchField({
  value,
  onChange,
}: {
  readonly value: string;
  onChange(value: string): void;
}): ReactElement {
  return (
    <p className="filter">
      <label>
        Only names with{' '}
        <input
          type="search"
          value={value}
          autoComplete="off"
          onChange={({ target }) => onChange(target.value)}
        />
      </label>
    </p>
  );
}

/** Which rows are shown of how many, and the way to the others. */
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
      {page > 0 ? (
        <button type="button" className="link" onClick={() => onPage(page - 1)}>
          Previous page
        </button>
      ) : null}
      {last < total ? (
        <button type="button" className="link" onClick={() => onPage(page + 1)}>
          Next page
        </button>
      ) : null}
    </p>
  );
}
