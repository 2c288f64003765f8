import type { ChaosResult } from '../../api/index.ts';
import { type ExperimentTimes, experimentTimes } from './event-times.ts';
import type { ScrapedEngine } from './observed.ts';

/** What one ChaosResult says in numbers and labels. */
export interface ResultFigures {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly experiment: string;
  /** As it stands in the result; empty when it has none yet. */
  readonly verdict: string;
  readonly passedRuns: number;
  readonly failedRuns: number;
  /** 0 to 100; 0 while it is awaited. */
  readonly probeSuccessPercentage: number;
  readonly times: ExperimentTimes;
}

/** The figures of all results of an engine. Pure. */
export function resultFigures({ engine, results, events }: ScrapedEngine): ResultFigures[] {
  return results.map((result) => {
    const { metadata, status } = result;
    const experiment = experimentOf(result);
    return {
      uid: metadata.uid ?? '',
      name: metadata.name,
      namespace: metadata.namespace ?? '',
      experiment,
      verdict: status?.experimentStatus?.verdict ?? '',
      passedRuns: status?.history?.passedRuns ?? 0,
      failedRuns: status?.history?.failedRuns ?? 0,
      probeSuccessPercentage: percentage(status?.experimentStatus?.probeSuccessPercentage),
      times: experimentTimes(engine, experiment, events),
    };
  });
}

function experimentOf({ metadata, spec }: ChaosResult): string {
  return spec?.experiment || metadata.name;
}

/** `Awaited`, nothing, and what is no number are 0: one odd result must not hide the others. */
function percentage(text: string | undefined): number {
  const value = Number(text ?? '');
  return Number.isFinite(value) ? value : 0;
}
