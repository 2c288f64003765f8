import { authorship } from '../access/lists.ts';
import { asRecentRun, type RunLookups } from '../run/run-answers.ts';
import type { Experiment } from '../schema/generated/types.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { RunRow } from '../store/tables/runs.ts';

/** Fields of an experiment that are large or belong to other objects: resolvers read them on request. */
type LookedUp = 'infra' | 'experimentManifest' | 'schedule' | 'weightages';

/** An experiment as resolvers get it. */
export interface ExperimentAnswer extends Omit<Experiment, LookedUp> {
  readonly row: ExperimentRow;
  readonly lookups: RunLookups;
}

/** An experiment as clients see it. @param recent its last runs, the newest first */
export function asExperiment(
  row: ExperimentRow,
  lookups: RunLookups,
  recent: readonly RunRow[],
): ExperimentAnswer {
  return {
    row,
    lookups,
    projectID: row.project_id,
    experimentID: row.id,
    experimentType: row.type,
    cronSyntax: row.cron_syntax,
    name: row.name,
    description: row.description,
    isCustomExperiment: row.custom === 1,
    ...authorship(row),
    isRemoved: row.removed === 1,
    tags: JSON.parse(row.tags),
    recentExperimentRunDetails: recent.map(asRecentRun),
  };
}

/** Whether an experiment has a schedule. Pure. */
export function isScheduled({ type }: Pick<ExperimentRow, 'type'>): boolean {
  return type === 'cronexperiment' || type === 'chaosschedule';
}

/** Fields of an experiment for its mean score. */
type Scored = Pick<ExperimentRow, 'completed_runs' | 'score_sum'>;

/**
 * Mean score of the finished runs, rounded to two decimals like scores, since the sum accumulates rounding errors. 0
 * before the first run. Pure.
 */
export function averageScore({ completed_runs, score_sum }: Scored): number {
  return completed_runs === 0 ? 0 : Math.round((score_sum / completed_runs) * 100) / 100;
}

/** Lower bounds of the ranges of scores. */
const RANGES = [0, 40, 80] as const;

/** Number of experiments by range of their mean score, without those that have no finished run. Pure. */
export function scoreCategories(
  experiments: readonly Scored[],
): { readonly id: number; readonly count: number }[] {
  const scores = experiments.filter(({ completed_runs }) => completed_runs > 0).map(averageScore);
  return RANGES.map((from, index) => {
    const to = RANGES[index + 1] ?? Number.POSITIVE_INFINITY;
    return { id: from, count: scores.filter((score) => score >= from && score < to).length };
  });
}
