import { asOneLine, hasUnseen, withEscapes } from '@turnsole/kube/text/visible';
import { Document, visit } from 'yaml';
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

/** One object as it came; as a table a line for each field that has a value. Pure. */
export function renderObject(value: object, format: OutputFormat): string {
  if (format === 'table')
    return formatColumns(
      Object.entries(value)
        .filter(([, field]) => field !== null && field !== '')
        .map(([name, field]) => [`${name}:`, printable(isScalar(field) ? field : JSON.stringify(field))]),
      3,
    ).join('\n');
  if (format === 'json') return withEscapes(JSON.stringify(value, null, 2));
  const document = new Document(value);
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'string' && hasUnseen(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return withEscapes(
    document.toString({ doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER, lineWidth: 0 }),
  ).trimEnd();
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object';
}

/** One line in which all can be seen: names come from other people. */
export function printable(value: unknown): string {
  return asOneLine(String(value ?? ''));
}
