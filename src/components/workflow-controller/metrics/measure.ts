import { evaluateWhen } from '@turnsole/workflows/engine/concerns/when';
import { NodeError } from '@turnsole/workflows/engine/node-error';
import { namesOf } from '@turnsole/workflows/engine/substitution/names';
import { substitute } from '@turnsole/workflows/engine/substitution/render';
import { ExpressionError } from '@turnsole/workflows/expression/errors';
import type { PrometheusMetric } from '@turnsole/workflows/kinds/metrics';

/** A metric after its tags are replaced. */
export interface Measured {
  /** With the prefix. */
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value:
    | { readonly kind: 'gauge'; readonly operation: 'Set' | 'Add' | 'Sub'; readonly amount: number }
    /** Shows the time since something began. */
    | { readonly kind: 'duration' }
    | { readonly kind: 'counter'; readonly amount: number }
    | { readonly kind: 'histogram'; readonly amount: number; readonly buckets: readonly number[] };
}

/** A metric that cannot be shown: the message says which, and why. */
export class MetricError extends Error {
  override readonly name = 'MetricError';
}

export const PREFIX = 'argo_workflows_';
const NAME = /^[a-zA-Z0-9_]+$/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const DURATION = /^\{\{\s*(?:workflow\.)?duration\s*\}\}$/;

/** Whether a metric shows the duration while it runs. Pure. */
export function isRealtime({ gauge }: PrometheusMetric): boolean {
  return gauge?.realtime === true;
}

/**
 * A metric with its tags replaced; undefined where its condition does not hold. Pure.
 *
 * @throws MetricError
 */
export function measure(
  metric: PrometheusMetric,
  names: ReadonlyMap<string, string>,
  context: { readonly now: number; readonly random: () => number },
): Measured | undefined {
  try {
    checkNames(metric);
    // A realtime metric has no value to substitute yet; its other fields have.
    const { gauge, ...rest } = metric;
    const given = isRealtime(metric) ? rest : metric;
    const replaced: PrometheusMetric = substitute(given, namesOf(names), { ...context, pass: 'last' });
    if (!evaluateWhen(replaced.when)) return undefined;
    const labels = Object.fromEntries((replaced.labels ?? []).map(({ key, value }) => [key, String(value)]));
    const value = isRealtime(metric) ? realtimeOf(gauge?.value) : amountOf(replaced);
    return { name: `${PREFIX}${metric.name}`, help: metric.help ?? '', labels, value };
  } catch (error) {
    if (!(error instanceof ExpressionError || error instanceof NodeError || error instanceof MetricError))
      throw error;
    throw new MetricError(`metric ${metric.name}: ${error.message}`, { cause: error });
  }
}

function checkNames({ name, help = '', labels = [], ...metric }: PrometheusMetric): void {
  if (!NAME.test(name))
    throw new MetricError(`the name ${JSON.stringify(name)} may have letters, digits and _ only`);
  if (help === '') throw new MetricError('help is missing');
  const key = labels.find((label) => !LABEL.test(label.key))?.key;
  if (key !== undefined)
    throw new MetricError(`the label ${JSON.stringify(key)} may have letters, digits and _ only`);
  const kinds = [metric.gauge, metric.counter, metric.histogram].filter((kind) => kind !== undefined);
  if (kinds.length !== 1) throw new MetricError('exactly one of gauge, counter and histogram is needed');
}

function realtimeOf(value = ''): Measured['value'] {
  if (DURATION.test(value)) return { kind: 'duration' };
  throw new MetricError(
    `a realtime gauge shows {{duration}} or {{workflow.duration}}, not ${JSON.stringify(value)}`,
  );
}

function amountOf({ gauge, counter, histogram }: PrometheusMetric): Measured['value'] {
  if (counter !== undefined) {
    const amount = numberOf(counter.value);
    if (amount < 0) throw new MetricError(`a counter cannot go down by ${-amount}`);
    return { kind: 'counter', amount };
  }
  if (histogram !== undefined) {
    const buckets = (histogram.buckets ?? []).map(numberOf);
    return { kind: 'histogram', amount: numberOf(histogram.value), buckets };
  }
  const { operation = '' } = gauge ?? {};
  const word = operation === '' ? 'Set' : operation;
  if (word !== 'Set' && word !== 'Add' && word !== 'Sub')
    throw new MetricError(`the operation ${JSON.stringify(operation)} is none of Set, Add, Sub`);
  return { kind: 'gauge', operation: word, amount: numberOf(gauge?.value ?? '') };
}

function numberOf(text: number | string): number {
  const number = typeof text === 'string' && text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(number)) return number;
  throw new MetricError(`${JSON.stringify(text)} is no number`);
}
