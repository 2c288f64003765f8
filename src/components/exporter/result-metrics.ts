/** The metrics of one result, whichever exporter shows them (compatibility reference of the exporter, 2.1 and 2.3). Pure. */
import type { ExperimentTimes } from './event-times.ts';
import type { ResultFigures } from './result-figures.ts';
import type { SlimEngine } from './scope/slim-objects.ts';

/** What the metrics of one result are made of. */
export interface ResultNumbers extends Pick<ResultFigures, 'passedRuns' | 'failedRuns' | 'percentage'> {
  readonly isAwaited: boolean;
  readonly times: ExperimentTimes;
  /** Until when its verdict is shown as 1, in milliseconds since 1970. */
  readonly verdictUntilMs: number;
}

/** Labels that all series of a result have, and further ones of the series that says whether it is awaited, and of its verdict's. */
export type ResultLabels<T> = Readonly<Record<'common' | 'ofAwaited' | 'ofVerdict', T>>;

type Row = readonly [
  name: string,
  help: string,
  value: (of: ResultNumbers, nowMs: number) => number,
  labels?: 'ofAwaited' | 'ofVerdict',
];

const ROWS: readonly Row[] = [
  ['passed_experiments', 'Total number of passed experiments', (of) => of.passedRuns],
  ['failed_experiments', 'Total number of failed experiments', (of) => of.failedRuns],
  ['awaited_experiments', 'Total number of awaited experiments', (of) => Number(of.isAwaited), 'ofAwaited'],
  ['probe_success_percentage', 'ProbeSuccessPercentage for the experiments', (of) => of.percentage],
  [
    'experiment_verdict',
    'Verdict of the experiments',
    (of, nowMs) => Number(nowMs < of.verdictUntilMs),
    'ofVerdict',
  ],
  ['experiment_start_time', 'start time of the experiments', ({ times }) => times.start],
  ['experiment_end_time', 'end time of the experiments', ({ times }) => times.end],
  ['experiment_chaos_injected_time', 'chaos injected time of the experiments', ({ times }) => times.injected],
  [
    'experiment_total_duration',
    'total duration of the experiments',
    ({ times }) => Math.max(0, times.end - times.start),
  ],
];

/** The metrics that every result has; `labels` are those beside the common ones. */
export const RESULT_METRICS = ROWS.map(([name, help, value, labels]) => ({
  name: `litmuschaos_${name}`,
  help,
  value,
  labels,
}));

/** The labels of a result. @param engine undefined when no engine has that name: then labels that only it has are empty */
export function resultLabels(
  result: Pick<ResultFigures, 'name' | 'namespace' | 'experiment' | 'verdict' | 'percentage'> & {
    readonly engine: string;
  },
  engine: SlimEngine | undefined,
): ResultLabels<Readonly<Record<string, string>>> {
  const workflow = { workflow_name: engine?.workflow ?? '' };
  return {
    common: {
      chaosresult_namespace: result.namespace,
      chaosresult_name: result.name,
      chaosengine_name: result.engine,
      chaosengine_context: engine?.context ?? '',
      fault_name: result.experiment,
    },
    ofAwaited: workflow,
    ofVerdict: {
      chaosresult_verdict: result.verdict,
      probe_success_percentage: result.percentage.toFixed(6),
      app_label: engine?.appLabel ?? '',
      app_namespace: engine?.appNamespace ?? '',
      app_kind: engine?.appKind ?? '',
      ...workflow,
    },
  };
}

/** Whether a run goes on. */
export function isAwaited(verdict: string): boolean {
  return verdict.toLowerCase() === 'awaited';
}

/**
 * Until when `experiment_verdict` is 1: from when a verdict is first seen until the interval of the scrapes is over, so that dashboards
 * can count changes; never while it is awaited or missing (compatibility reference of the exporter, section 4).
 */
export function verdictUntilMs(verdict: string, sinceMs: number, intervalMs: number): number {
  return verdict === '' || isAwaited(verdict) ? 0 : sinceMs + intervalMs;
}
