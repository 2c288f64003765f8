import { timeText, userDetails } from '../access/lists.ts';
import { asRecentRun, type RunLookups } from '../run/run-answers.ts';
import type { Experiment } from '../schema/generated/types.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { RunRow } from '../store/tables/runs.ts';

/** Fields of an experiment that are large, or of other objects: resolvers look them up. */
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
    updatedAt: timeText(row.updated_at),
    createdAt: timeText(row.created_at),
    isRemoved: row.removed === 1,
    tags: JSON.parse(row.tags),
    createdBy: userDetails(row.created_by),
    updatedBy: userDetails(row.updated_by),
    recentExperimentRunDetails: recent.map(asRecentRun),
  };
}

/** Whether an experiment makes its runs by itself. Pure. */
export function isScheduled({ type }: Pick<ExperimentRow, 'type'>): boolean {
  return type === 'cronexperiment' || type === 'chaosschedule';
}

/** What counts of an experiment for its mean score. */
type Scored = Pick<ExperimentRow, 'completed_runs' | 'score_sum'>;

/**
 * Mean of the scores of the runs that are over, with two decimals as scores have them: the sum has been added to and taken from often. 0
 * before the first run. Pure.
 */
export function averageScore({ completed_runs, score_sum }: Scored): number {
  return completed_runs === 0 ? 0 : Math.round((score_sum / completed_runs) * 100) / 100;
}

/** Where the ranges of scores begin. */
const RANGES = [0, 40, 80] as const;

/** How many experiments have a mean score of each range; those that never ran to their end are in none. Pure. */
export function scoreCategories(
  experiments: readonly Scored[],
): { readonly id: number; readonly count: number }[] {
  const scores = experiments.filter(({ completed_runs }) => completed_runs > 0).map(averageScore);
  return RANGES.map((from, index) => {
    const to = RANGES[index + 1] ?? Number.POSITIVE_INFINITY;
    return { id: from, count: scores.filter((score) => score >= from && score < to).length };
  });
}
