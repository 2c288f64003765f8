/** Minimum, median, 99th percentile and maximum of a sample. */
export interface Summary {
  readonly min: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Summary of at least one value; percentiles by nearest rank. */
export function summarize(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = (share: number): number =>
    sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { min: rank(0), p50: rank(0.5), p99: rank(0.99), max: rank(1) };
}

/** A table with one line per figure, values without decimals. */
export function formatTable(rows: readonly (Summary & { readonly title: string })[]): string {
  const width = Math.max(...rows.map(({ title }) => title.length));
  const cells = (title: string, values: readonly string[]): string =>
    [title.padEnd(width), ...values.map((value) => value.padStart(7))].join(' ');
  return [
    cells('', ['min', 'p50', 'p99', 'max']),
    ...rows.map(({ title, min, p50, p99, max }) =>
      cells(
        title,
        [min, p50, p99, max].map((value) => value.toFixed(0)),
      ),
    ),
  ].join('\n');
}
