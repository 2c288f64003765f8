import { formatColumns, median } from '../report.ts';
import type { Outcome } from './outcome.ts';
import type { Round } from './round.ts';

const SEVERAL = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** One line of the report: a figure of each server, and how they compare. */
interface Row {
  readonly title: string;
  readonly unit: string;
  readonly of: (outcome: Outcome) => number | undefined;
  readonly digits: number;
}

/** Prints what was measured, servers side by side. */
export function printReport(outcomes: readonly Outcome[]): void {
  const [first] = outcomes;
  if (first === undefined) return;
  for (const rows of [throughput(first), latencies(first), watches(), footprint()]) {
    const head = ['', ...outcomes.map(({ title }) => title), ...(outcomes.length === 2 ? ['ratio'] : [])];
    console.log(
      `\n${formatColumns(
        head,
        rows.map((row) => cells(row, outcomes)),
      )}`,
    );
  }
}

function cells({ title, unit, of, digits }: Row, outcomes: readonly Outcome[]): string[] {
  const values = outcomes.map(of);
  const shown = values.map((value) => (value === undefined ? '-' : format(value, digits)));
  const [ours, theirs] = values;
  const isComparable = outcomes.length === 2 && ours !== undefined && theirs !== undefined && theirs > 0;
  const ratio = isComparable && ours > 0 ? [(ours / theirs).toFixed(2)] : outcomes.length === 2 ? ['-'] : [];
  return [`${title}, ${unit}`, ...shown, ...ratio];
}

function format(value: number, digits: number): string {
  return digits === 0 ? SEVERAL.format(value) : value.toFixed(digits);
}

function medianOf(outcome: Outcome, figure: (round: Round) => number | undefined): number | undefined {
  const values = outcome.rounds.map(figure).filter((value) => value !== undefined);
  return values.length === 0 ? undefined : median(values);
}

function loadTitles({ rounds }: Outcome): string[] {
  return Object.keys(rounds[0]?.loads ?? {});
}

function throughput(first: Outcome): Row[] {
  return loadTitles(first).map((title) => ({
    title,
    unit: '1/s',
    of: (outcome) => medianOf(outcome, ({ loads }) => loads[title]?.perSecond),
    digits: 0,
  }));
}

function latencies(first: Outcome): Row[] {
  return loadTitles(first).flatMap((title) =>
    (['p50', 'p99'] as const).map((percentile) => ({
      title: `${title} ${percentile}`,
      unit: 'ms',
      of: (outcome: Outcome) => medianOf(outcome, ({ loads }) => loads[title]?.latency[percentile]),
      digits: 2,
    })),
  );
}

function watches(): Row[] {
  const delays = (['lightDelay', 'fullDelay'] as const).flatMap((load) =>
    (['afterAnswer', 'afterRequest'] as const).flatMap((from) =>
      (['p50', 'p99'] as const).map((percentile) => ({
        title: `${load === 'lightDelay' ? 'light' : 'full'} load: ${from === 'afterAnswer' ? 'answer' : 'request'} to event ${percentile}`,
        unit: 'ms',
        of: (outcome: Outcome) => medianOf(outcome, (round) => round[load][from][percentile]),
        digits: 2,
      })),
    ),
  );
  return [
    ...delays,
    { title: 'fan-out, watchers', unit: '', of: ({ fanOut }) => fanOut.watchers, digits: 0 },
    { title: 'fan-out, events', unit: '1/s', of: ({ fanOut }) => fanOut.eventsPerSecond, digits: 0 },
  ];
}

function footprint(): Row[] {
  const known = (value: number): number | undefined => (value === 0 ? undefined : value);
  const medianKnown = (values: readonly number[]): number | undefined =>
    values.length === 0 ? undefined : median(values);
  return [
    {
      title: 'start of the process to ready',
      unit: 'ms',
      of: ({ startMs }) => medianKnown(startMs),
      digits: 0,
    },
    {
      title: 'start to ready, by its own clock',
      unit: 'ms',
      of: ({ saidMs }) => medianKnown(saidMs),
      digits: 0,
    },
    { title: 'memory when idle', unit: 'MB', of: ({ idleMegabytes }) => known(idleMegabytes), digits: 0 },
    {
      title: 'memory after the load',
      unit: 'MB',
      of: ({ loadedMegabytes }) => known(loadedMegabytes),
      digits: 0,
    },
    {
      title: 'processor when idle',
      unit: '% of a core',
      of: ({ idleCpu }) => (idleCpu === undefined ? undefined : idleCpu * 100),
      digits: 1,
    },
  ];
}
