import { type ExperimentTimes, experimentTimes } from './event-times.ts';
import { countOf, membersOf, percentageOf, textOf } from './lenient.ts';
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
  readonly percentage: number;
  readonly times: ExperimentTimes;
}

/** The figures of all results of an engine, whatever they hold. Pure. */
export function resultFigures({ engine, results, events }: ScrapedEngine): ResultFigures[] {
  return results.map(({ metadata, spec, status }) => {
    const { experimentStatus, history } = membersOf(status);
    const { verdict, probeSuccessPercentage } = membersOf(experimentStatus);
    const { passedRuns, failedRuns } = membersOf(history);
    const experiment = textOf(membersOf(spec).experiment) || metadata.name;
    return {
      uid: metadata.uid ?? '',
      name: metadata.name,
      namespace: metadata.namespace ?? '',
      experiment,
      verdict: textOf(verdict),
      passedRuns: countOf(passedRuns),
      failedRuns: countOf(failedRuns),
      percentage: percentageOf(probeSuccessPercentage),
      times: experimentTimes(engine, experiment, events),
    };
  });
}
