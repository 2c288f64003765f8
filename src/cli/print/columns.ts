import { asOneLine } from '@turnsole/kube/text/visible';

/** Rows with their cells below one another, each in one line; the last cell of a row is as long as it is. Pure. */
export function formatColumns(texts: readonly (readonly string[])[], gap = 2): string[] {
  const rows = texts.map((row) => row.map(asOneLine));
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join(' '.repeat(gap))
      .trimEnd(),
  );
}
