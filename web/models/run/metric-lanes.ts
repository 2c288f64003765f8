import type {
  MetricSeries,
  RunMetric,
  RunMetrics,
} from '../../../src/controlplane/schema/generated/types.ts';
import type { CurveLaneRecord } from '../timeline/axis.ts';

/** Metrics of a run for its page: lanes, and notes about queries without any. */
interface MetricLanes {
  readonly lanes: readonly CurveLaneRecord[];
  /** Each begins with its subject. */
  readonly notes: readonly string[];
}

const GROUP = 'Metrics';

/** A lane for each series with a number in it, on one scale for all of a query. Pure. */
export function metricLanes({
  startMs,
  stepMs,
  metrics,
}: Pick<RunMetrics, 'startMs' | 'stepMs' | 'metrics'>): MetricLanes {
  return {
    lanes: metrics.flatMap((metric) => lanesOf(metric, startMs, stepMs)),
    notes: metrics.flatMap((metric) => notesOf(metric).map((note) => `${metric.name}: ${note}`)),
  };
}

function lanesOf({ name, unit, series }: RunMetric, startMs: number, stepMs: number): CurveLaneRecord[] {
  const drawn = series.filter(hasNumbers);
  const numbers = drawn.flatMap(({ values }) => values).filter((value) => value !== null);
  const scale = {
    min: numbers.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY),
    max: numbers.reduce((most, one) => Math.max(most, one), Number.NEGATIVE_INFINITY),
  };
  const apart = labelsApart(series);
  return drawn.map((one) => ({
    group: GROUP,
    name: [name, labelWords(one, apart)].filter((words) => words !== '').join(' '),
    curve: {
      // The name of the lane is enough.
      what: '',
      unit,
      times: one.values.map((_, index) => startMs + index * stepMs),
      values: one.values.map((value) => value ?? Number.NaN),
      scale,
    },
  }));
}

function notesOf({ problem, series, leftOut }: RunMetric): string[] {
  if (problem !== null) return [problem];
  if (series.length === 0) return ['the Prometheus has nothing of this time'];
  const without = series.filter((one) => !hasNumbers(one)).length;
  return [
    ...(without === 0 ? [] : [`${seriesWords(without)} without a number that can be drawn`]),
    ...(leftOut === 0
      ? []
      : [`${seriesWords(leftOut)} more than are shown; a query that adds them up has fewer`]),
  ];
}

function hasNumbers({ values }: MetricSeries): boolean {
  return values.some((value) => value !== null);
}

/** Names of labels in which series differ, in order. Pure. */
function labelsApart(series: readonly MetricSeries[]): string[] {
  const names = [...new Set(series.flatMap(({ labels }) => labels.map(({ name }) => name)))].toSorted();
  return names.filter((name) => new Set(series.map((one) => labelOf(one, name))).size > 1);
}

function labelWords(series: MetricSeries, names: readonly string[]): string {
  return names
    .map((name) => [name, labelOf(series, name)] as const)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}

/** A label's value; for a Prometheus, a missing label equals an empty one. */
function labelOf({ labels }: MetricSeries, name: string): string {
  return labels.find((label) => label.name === name)?.value ?? '';
}

function seriesWords(count: number): string {
  return `${count} series`;
}
