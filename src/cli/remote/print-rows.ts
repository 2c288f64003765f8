import { stringify } from 'yaml';
import { formatColumns } from '../print/columns.ts';
import type { Row, View } from './views.ts';

/** How answers are printed. */
export type OutputFormat = 'table' | 'json' | 'yaml';

/** Rows as a table, or the answer as it came. Pure. */
export function renderRows(rows: readonly Row[], columns: View['columns'], format: OutputFormat): string {
  if (format !== 'table') return renderObject(rows, format);
  const cells = rows.map((row) => columns.map(([, cell]) => printable(cell(row))));
  return formatColumns([columns.map(([title]) => title), ...cells], 3).join('\n');
}

/** Pure. */
function renderObject(value: object, format: OutputFormat): string {
  return format === 'json' ? JSON.stringify(value, null, 2) : stringify(value).trimEnd();
}

/** One line without control characters: names come from other people. */
function printable(value: unknown): string {
  return String(value ?? '').replace(/\p{Cc}+/gu, ' ');
}
