import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { nextOrder, type Order, ordered } from '../../models/table/order.ts';
import { Menu } from '../menu/menu.tsx';
import { type Column, useHidden } from './columns.ts';
import { useRowKeys } from './row-keys.ts';
import './table.css';

/** Beyond this number, only rows near the viewport are rendered. */
const MOST_AT_ONCE = 100;
/** Height of a row of one line with its border, in pixels. */
const ROW_PX = 33;

/**
 * A table whose columns the reader selects and sorts by. Arrows walk from row to row, Enter opens the link of a row. It scrolls sideways
 * if necessary; on a phone each row is a card, whose values have the names of their columns.
 */
export function DataTable<Row>({
  name,
  label,
  columns: given,
  rows,
  keyOf,
  isCurrent,
  order,
  onOrder,
}: {
  /** Name for its stored columns. */
  readonly name: string;
  readonly label: string;
  /** False for one that this reader does not get. */
  readonly columns: readonly (Column<Row> | false)[];
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  /** Whether a row is selected elsewhere on the page. */
  isCurrent?(row: Row): boolean;
  readonly order?: Order | undefined;
  onOrder?(order: Order | undefined): void;
}): ReactElement {
  const [hidden, turn] = useHidden(name);
  const columns = given.filter((column) => column !== false);
  const shown = columns.filter(({ id }, index) => index === 0 || !hidden.has(id));
  const by = columns.find(({ id }) => id === order?.by)?.order;
  const inOrder = useMemo(
    () => (typeof by === 'function' ? ordered(rows, order?.isDown === true, by) : rows),
    [rows, by, order?.isDown],
  );
  return (
    <div className="data-table">
      <div className="scroll">
        <table className="table" aria-label={label} aria-rowcount={inOrder.length + 1}>
          <thead>
            <tr>
              {shown.map((column) => (
                <Head key={column.id} column={column} order={order} onOrder={onOrder} />
              ))}
            </tr>
          </thead>
          <Rows rows={inOrder} columns={shown} keyOf={keyOf} isCurrent={isCurrent} />
        </table>
      </div>
      {columns.length > 2 ? (
        <div className="table-columns">
          {onOrder === undefined ? null : <OrderChoice columns={shown} order={order} onOrder={onOrder} />}
          <Menu label="Columns" name={`Columns of ${label}`}>
            {() =>
              columns.slice(1).map(({ id, name: words }) => (
                <label key={id}>
                  <input type="checkbox" checked={!hidden.has(id)} onChange={() => turn(id)} />
                  {words}
                </label>
              ))
            }
          </Menu>
        </div>
      ) : null}
    </div>
  );
}

/** The order as one choice, where the heads of columns are not shown. */
function OrderChoice<Row>({
  columns,
  order,
  onOrder,
}: {
  readonly columns: readonly Column<Row>[];
  readonly order: Order | undefined;
  onOrder(order: Order | undefined): void;
}): ReactElement | null {
  const sortable = columns.filter((column) => column.order !== undefined);
  if (sortable.length === 0) return null;
  const choices = sortable.flatMap(({ id, name }) => [
    { value: `${id} up`, words: `${name} ↑`, order: { by: id, isDown: false } },
    { value: `${id} down`, words: `${name} ↓`, order: { by: id, isDown: true } },
  ]);
  return (
    <select
      className="table-order"
      aria-label="Order"
      value={order === undefined ? '' : `${order.by} ${order.isDown ? 'down' : 'up'}`}
      onChange={({ target }) => onOrder(choices.find(({ value }) => value === target.value)?.order)}
    >
      <option value="">Order</option>
      {choices.map(({ value, words }) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </select>
  );
}

function Head<Row>({
  column: { id, name, order: canOrder, isNumber },
  order,
  onOrder,
}: {
  readonly column: Column<Row>;
  readonly order: Order | undefined;
  readonly onOrder: ((order: Order | undefined) => void) | undefined;
}): ReactElement {
  const isBy = order?.by === id;
  const direction = order?.isDown === true ? 'descending' : 'ascending';
  return (
    <th
      scope="col"
      className={isNumber === true ? 'number' : undefined}
      aria-sort={isBy ? direction : undefined}
    >
      {canOrder === undefined || onOrder === undefined ? (
        name
      ) : (
        <button type="button" onClick={() => onOrder(nextOrder(order, id))}>
          {name}
        </button>
      )}
    </th>
  );
}

function Rows<Row>({
  rows,
  columns,
  keyOf,
  isCurrent,
}: {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  keyOf(row: Row): string;
  readonly isCurrent: ((row: Row) => boolean) | undefined;
}): ReactElement {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  const isLong = rows.length > MOST_AT_ONCE;
  // Only a long table has to know where it begins.
  useLayoutEffect(() => {
    if (body.current !== null) setTop(body.current.getBoundingClientRect().top + scrollY);
  }, [isLong]);
  const window = useWindowVirtualizer({
    count: isLong ? rows.length : 0,
    estimateSize: () => ROW_PX,
    overscan: 20,
    scrollMargin: top,
  });
  const near = window.getVirtualItems();
  const [first, last] = isLong ? [near[0]?.index ?? 0, (near.at(-1)?.index ?? -1) + 1] : [0, rows.length];
  const { current, onKeyDown, onFocus } = useRowKeys(body, rows.length, (index) => {
    if (isLong) window.scrollToIndex(index);
  });
  // The row that has the focus, or would get it, has to be rendered.
  const reachable = current >= first && current < last ? current : first;
  return (
    // oxlint-disable-next-line no-noninteractive-element-interactions -- it follows the rows, which have the focus
    <tbody ref={body} onKeyDown={onKeyDown} onFocus={onFocus}>
      <Space height={isLong ? (near[0]?.start ?? top) - top : 0} columns={columns.length} />
      {rows.slice(first, last).map((row, offset) => {
        const index = first + offset;
        return (
          <tr
            key={keyOf(row)}
            ref={isLong ? window.measureElement : undefined}
            data-index={index}
            aria-rowindex={index + 2}
            aria-current={isCurrent?.(row) === true ? 'true' : undefined}
            tabIndex={index === reachable ? 0 : -1}
          >
            {columns.map(({ id, name, cell, isNumber }, place) =>
              place === 0 ? (
                <th key={id} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={id} data-name={name} className={isNumber === true ? 'number' : undefined}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        );
      })}
      <Space
        height={isLong ? window.getTotalSize() - (near.at(-1)?.end ?? top) + top : 0}
        columns={columns.length}
      />
    </tbody>
  );
}

/** Placeholder for rows that are not rendered. */
function Space({
  height,
  columns,
}: {
  readonly height: number;
  readonly columns: number;
}): ReactElement | null {
  return height > 0 ? (
    // Nothing in it takes the focus.
    <tr aria-hidden="true" className="space">
      <td colSpan={columns} style={{ height }} />
    </tr>
  ) : null;
}
