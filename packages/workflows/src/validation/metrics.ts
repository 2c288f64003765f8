import type { PrometheusMetric } from '../kinds/metrics.ts';
import type { Template } from '../kinds/template.ts';
import type { ProblemSink } from './problem.ts';

/** What Prometheus takes for a name of a metric or label. */
const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** The metrics that a template defines: names, help texts and values. */
export function checkMetrics(
  problems: ProblemSink,
  { name: of = '', metrics }: Template,
  path: string,
): void {
  for (const [index, metric] of (metrics?.prometheus ?? []).entries()) {
    const place = `${path}.metrics.prometheus[${index}]`;
    const { name = '', labels = [], help = '' } = metric as Partial<PrometheusMetric>;
    if (!NAME.test(name))
      problems.add(
        `${place}.name`,
        `templates.${of} metric name '${name}' is invalid. Metric names must contain alphanumeric characters or '_'`,
      );
    for (const [at, { key }] of labels.entries()) {
      if (!NAME.test(key))
        problems.add(
          `${place}.labels[${at}].key`,
          `metric label '${key}' is invalid: keys may only contain alphanumeric characters or '_'`,
        );
    }
    if (help === '')
      problems.add(
        `${place}.help`,
        `templates.${of} metric '${name}' must contain a help string under 'help: ' field`,
      );
    for (const { field, text } of valueProblems(metric))
      problems.add(`${place}.${field}`, `templates.${of} metric '${name}' error: ${text}`);
  }
}

function valueProblems(metric: PrometheusMetric): { readonly field: string; readonly text: string }[] {
  const kinds = ['gauge', 'counter', 'histogram'] as const;
  const missing = kinds
    .filter((kind) => metric[kind] !== undefined && (metric[kind].value ?? '') === '')
    .map((kind) => ({ field: `${kind}.value`, text: `missing ${kind}.value` }));
  const { realtime = false, value = '' } = metric.gauge ?? {};
  if (!realtime || !value.includes('resourcesDuration.')) return missing;
  return [
    ...missing,
    { field: 'gauge.value', text: "'resourcesDuration.*' metrics cannot be used in real-time" },
  ];
}
