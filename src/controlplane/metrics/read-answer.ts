import { isObject } from '@turnsole/kube/text/json';
import { AnswerReader } from '../infra/live/read-answer.ts';
import type { MetricSeries } from '../schema/generated/types.ts';

/** Result of a query, in the form of the API. */
export interface QueryResult {
  readonly problem: string | null;
  readonly series: readonly MetricSeries[];
  readonly leftOut: number;
}

const MOST_SERIES = 8;
const MOST_LABELS = 50;

/** Reads an agent's answer, query by query; a query without a result has a problem. Pure. */
export function readAnswers(
  answer: Readonly<Record<string, unknown>>,
  queries: number,
  moments: number,
): QueryResult[] {
  const answered = listOf(answer.queries);
  return Array.from({ length: queries }, (_, index) => readOne(answered[index], moments));
}

function readOne(value: unknown, moments: number): QueryResult {
  const reader = new AnswerReader(value);
  const problem = reader.textOrNull('problem');
  if (problem !== null) return { problem, series: [], leftOut: 0 };
  if (!isObject(value) || !Array.isArray(value.series)) {
    return { problem: "the agent's answer could not be read", series: [], leftOut: 0 };
  }
  const series = value.series.slice(0, MOST_SERIES).filter(isObject);
  return {
    problem: null,
    series: series.map(({ labels, values }) => ({
      labels: labelsOf(labels),
      values: valuesOf(values, moments),
    })),
    leftOut: reader.count('leftOut'),
  };
}

function labelsOf(value: unknown): MetricSeries['labels'] {
  const labels = new AnswerReader(value);
  const names = Object.keys(isObject(value) ? value : {}).slice(0, MOST_LABELS);
  return names.map((name) => ({ name, value: labels.text(name) }));
}

function valuesOf(value: unknown, moments: number): (number | null)[] {
  const values = listOf(value);
  return Array.from({ length: moments }, (_, at) => {
    const one = values[at];
    return typeof one === 'number' && Number.isFinite(one) ? one : null;
  });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
