import { writeFile } from 'node:fs/promises';

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

/** The middle one of at least one value. */
export function median(values: readonly number[]): number {
  return summarize(values).p50;
}

/** Slope of the line through points by least squares. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (axis: 0 | 1): number => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  const variance = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  return covariance / variance;
}

/** A table with one line per figure, values without decimals. */
export function formatTable(rows: readonly (Summary & { readonly title: string })[]): string {
  return formatColumns(
    ['', 'min', 'p50', 'p99', 'max'],
    rows.map(({ title, ...values }) => [
      title,
      ...[values.min, values.p50, values.p99, values.max].map((value) => value.toFixed(0)),
    ]),
  );
}

/** A table of texts: the first column to the left, all others to the right. */
export function formatColumns(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const pad = (text: string, column: number): string =>
    column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(Math.max(7, widths[column] ?? 0));
  return lines.map((line) => line.map(pad).join(' ').trimEnd()).join('\n');
}

/** Writes the whole outcome of a benchmark for other programs and says where; nothing without a file. */
export async function writeJson(file: string | undefined, outcome: object): Promise<void> {
  if (file === undefined) return;
  await writeFile(file, `${JSON.stringify(outcome, null, 2)}\n`);
  console.log(`written to ${file}`);
}
