import type { ChaosEngine } from '../../api/index.ts';
import type { ScrapedEngine } from './observed.ts';
import type { ResultFigures } from './result-figures.ts';
import type { ResultMemories } from './result-memory.ts';
import { isAwaited, RESULT_METRICS, resultLabels, verdictUntilMs } from './result-metrics.ts';
import { slimEngine } from './scope/slim-objects.ts';

/** One gauge with its samples. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Every sample of a family has the same labels. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What the samples depend on beside the engine. */
interface MetricContext {
  /** Uid of the workload under test, where the exporter was given one: label `app_uid`. */
  readonly appUid: string;
  /** Version of the API server: label `kubernetes_version`. */
  readonly kubernetesVersion: string;
  readonly memories: ResultMemories;
  readonly nowMs: number;
  /** How long a verdict is shown as 1. */
  readonly verdictIntervalMs: number;
}

/**
 * The metrics of one engine: totals and the status of each experiment under the names of the per-engine exporter (compatibility
 * reference of the exporter, section 9), and what each result says under today's names (section 2.1). Pure.
 */
export function engineMetrics(
  observed: ScrapedEngine,
  figures: readonly ResultFigures[],
  context: MetricContext,
): MetricFamily[] {
  return [...totals(observed.engine, figures, context), ...perResult(observed.engine, figures, context)];
}

/** Values of `c_exp_*`. An experiment that ended in an error did not pass; one that was stopped has not been judged. */
const STATUS_VALUES: Readonly<Record<string, number>> = { awaited: 1, fail: 2, error: 2, pass: 3 };
const FAILED = 2;
const PASSED = 3;

function totals(
  { metadata, spec }: ChaosEngine,
  figures: readonly ResultFigures[],
  { appUid, kubernetesVersion }: MetricContext,
): MetricFamily[] {
  const labels = {
    app_uid: appUid,
    engine_name: metadata.name,
    kubernetes_version: kubernetesVersion,
    // Of a storage system that the first exporter looked for; dashboards of that time group by it.
    openebs_version: 'N/A',
  };
  const names = [...new Set(spec.experiments.map(({ name }) => name))];
  const statuses = names.map((name) => ({ name, value: statusValue([name], figures) }));
  const count = (value: number): number => statuses.filter((status) => status.value === value).length;
  const family = (name: string, help: string, value: number): MetricFamily => ({
    name,
    help,
    samples: [{ labels, value }],
  });
  return [
    family('c_engine_experiment_count', 'Experiments that the engine schedules.', names.length),
    family('c_engine_passed_experiments', 'Experiments of the engine that passed.', count(PASSED)),
    family('c_engine_failed_experiments', 'Experiments of the engine that failed.', count(FAILED)),
    // Names that differ in a dot or dash only share a metric.
    ...[...Map.groupBy(names, metricName)].map(([metric, group]) =>
      family(
        metric,
        `Status of ${group.join(', ')}: 0 not executed, 1 running, 2 failed, 3 passed.`,
        statusValue(group, figures),
      ),
    ),
  ];
}

function metricName(experiment: string): string {
  return `c_exp_${experiment.replaceAll(/[^A-Za-z0-9_]/g, '_')}`;
}

/** With instance ids an experiment has several results: one that failed decides, then one that runs. */
function statusValue(experiments: readonly string[], figures: readonly ResultFigures[]): number {
  const values = figures
    .filter(({ experiment }) => experiments.includes(experiment))
    .map(({ verdict }) => STATUS_VALUES[verdict.toLowerCase()] ?? 0);
  if (values.includes(FAILED)) return FAILED;
  return values.includes(1) ? 1 : Math.max(0, ...values);
}

function perResult(
  engine: ChaosEngine,
  figures: readonly ResultFigures[],
  { memories, nowMs, verdictIntervalMs }: MetricContext,
): MetricFamily[] {
  const slim = slimEngine(engine);
  const shown = figures.flatMap((result) => {
    const memory = memories.get(result.uid);
    if (memory === undefined) return [];
    const untilMs = verdictUntilMs(memory.verdict, memory.sinceMs, verdictIntervalMs);
    return {
      labels: resultLabels({ ...result, engine: engine.metadata.name }, slim),
      numbers: {
        ...result,
        isAwaited: isAwaited(result.verdict),
        times: memory.times,
        verdictUntilMs: untilMs,
      },
    };
  });
  return RESULT_METRICS.map(({ name, help, value, labels: further }) => ({
    name,
    help,
    samples: shown.map(({ labels, numbers }) => ({
      labels: { ...labels.common, ...(further && labels[further]) },
      value: value(numbers, nowMs),
    })),
  }));
}
