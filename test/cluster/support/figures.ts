/** Measured figures of a run of the suite: appended by the tests, printed by `main.ts` at the end. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { summarize } from '../../../bench/report.ts';
import { clusterSettings } from './settings.ts';

/** One measurement. */
export interface Figure {
  /** What was measured; measurements of the same title belong together. */
  readonly title: string;
  readonly ms: number;
  /** What it should stay below, milliseconds. Never a reason to fail: a machine may have other work. */
  readonly barMs?: number;
  /** What the slowest should stay below. */
  readonly maxBarMs?: number;
}

/** Notes a measurement. */
export function record(figure: Figure): void {
  const file = clusterSettings()?.figures;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

/** A line of the table. */
export interface FigureRow {
  readonly title: string;
  readonly count: number;
  readonly medianMs: number;
  readonly maxMs: number;
  readonly barMs: number | undefined;
  readonly maxBarMs: number | undefined;
}

/** All measurements of a file by title, in the order in which they were first made. */
export function readFigures(file: string): FigureRow[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const figures = lines.map((line) => JSON.parse(line) as Figure);
  return [...new Set(figures.map(({ title }) => title))].map((title) => {
    const own = figures.filter((figure) => figure.title === title);
    const { p50, max } = summarize(own.map(({ ms }) => ms));
    const { barMs, maxBarMs } = own[0] ?? {};
    return { title, count: own.length, medianMs: p50, maxMs: max, barMs, maxBarMs };
  });
}
