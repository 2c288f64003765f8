import type { ExperimentTimes } from '../event-times.ts';
import { headOf, labelText, type PieceWriter } from './exposition.ts';
import type { SlimEngine, SlimResult } from './slim-objects.ts';

/** The series of one result, ready to be written; made anew only when the result has changed. */
export interface ResultSeries {
  /** Labels that all of its series have. */
  readonly common: string;
  /** Further ones of the series that says whether it is awaited, and of its verdict's; a comma is before each. */
  readonly ofAwaited: string;
  readonly ofVerdict: string;
  readonly passed: number;
  readonly failed: number;
  readonly percentage: number;
  readonly isAwaited: boolean;
  readonly times: ExperimentTimes;
  /** Until when its verdict is shown as 1, in milliseconds since 1970. */
  readonly verdictUntilMs: number;
}

/** Input of the series of a result. */
interface SeriesInput {
  readonly result: SlimResult;
  /** Undefined when no engine has that name: then labels that only it has are empty. */
  readonly engine: SlimEngine | undefined;
  readonly times: ExperimentTimes;
  readonly verdictUntilMs: number;
}

/** The series of one result (compatibility reference of the exporter, 2.1 and 2.3). Pure. */
export function resultSeries({ result, engine, times, verdictUntilMs }: SeriesInput): ResultSeries {
  const { metadata, verdict, percentage } = result;
  const workflow = { workflow_name: engine?.workflow ?? '' };
  return {
    common: labelText({
      chaosresult_namespace: metadata.namespace ?? '',
      chaosresult_name: metadata.name,
      chaosengine_name: result.engine,
      chaosengine_context: engine?.context ?? '',
      fault_name: result.experiment,
    }),
    ofAwaited: `,${labelText(workflow)}`,
    ofVerdict: `,${labelText({
      chaosresult_verdict: verdict,
      probe_success_percentage: percentage.toFixed(6),
      app_label: engine?.appLabel ?? '',
      app_namespace: engine?.appNamespace ?? '',
      app_kind: engine?.appKind ?? '',
      ...workflow,
    })}`,
    passed: result.passedRuns,
    failed: result.failedRuns,
    percentage,
    isAwaited: isAwaited(verdict),
    times,
    verdictUntilMs,
  };
}

/** Whether a run goes on. Pure. */
export function isAwaited(verdict: string): boolean {
  return verdict.toLowerCase() === 'awaited';
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly value: (series: ResultSeries, nowMs: number) => number;
  /** Labels beside the common ones, with a comma before each. */
  readonly labels?: (series: ResultSeries) => string;
}

const FAMILIES: readonly Family[] = [
  {
    name: 'litmuschaos_passed_experiments',
    help: 'Total number of passed experiments',
    value: ({ passed }) => passed,
  },
  {
    name: 'litmuschaos_failed_experiments',
    help: 'Total number of failed experiments',
    value: ({ failed }) => failed,
  },
  {
    name: 'litmuschaos_awaited_experiments',
    help: 'Total number of awaited experiments',
    value: (series) => (series.isAwaited ? 1 : 0),
    labels: ({ ofAwaited }) => ofAwaited,
  },
  {
    name: 'litmuschaos_probe_success_percentage',
    help: 'ProbeSuccessPercentage for the experiments',
    value: ({ percentage }) => percentage,
  },
  {
    name: 'litmuschaos_experiment_verdict',
    help: 'Verdict of the experiments',
    value: ({ verdictUntilMs }, nowMs) => (nowMs < verdictUntilMs ? 1 : 0),
    labels: ({ ofVerdict }) => ofVerdict,
  },
  {
    name: 'litmuschaos_experiment_start_time',
    help: 'start time of the experiments',
    value: ({ times }) => times.start,
  },
  {
    name: 'litmuschaos_experiment_end_time',
    help: 'end time of the experiments',
    value: ({ times }) => times.end,
  },
  {
    name: 'litmuschaos_experiment_chaos_injected_time',
    help: 'chaos injected time of the experiments',
    value: ({ times }) => times.injected,
  },
  {
    name: 'litmuschaos_experiment_total_duration',
    help: 'total duration of the experiments',
    value: ({ times }) => Math.max(0, times.end - times.start),
  },
];

/** The lines of all series of all results, in pieces; what does not fill one stays with the writer. Pure but for that. */
export function* resultPieces(
  all: readonly ResultSeries[],
  nowMs: number,
  writer: PieceWriter,
): Generator<Uint8Array> {
  if (all.length === 0) return;
  for (const { name, help, value, labels } of FAMILIES) {
    writer.put(headOf(name, help));
    const begin = `${name}{`;
    for (const series of all) {
      writer.put(begin);
      writer.put(series.common);
      if (labels !== undefined) writer.put(labels(series));
      writer.put('} ');
      writer.put(String(value(series, nowMs)));
      writer.put('\n');
      if (writer.isFull) yield writer.take();
    }
  }
}
