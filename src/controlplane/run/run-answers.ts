import type { ControlPlane } from '../access/context.ts';
import { authorship } from '../access/lists.ts';
import { infrasByID } from '../infra/infras-by-id.ts';
import type { ExperimentRun, Infra, RecentExperimentRun } from '../schema/generated/types.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Phase } from './phases.ts';
import { type Revision, revisionsByID } from './revision-rows.ts';
import { outcomeAnswer } from './run-outcome.ts';

/** A run with the fields of its experiment for lists. */
export type ListedRun = RunRow & {
  readonly experiment_name: string;
  readonly experiment_type: ExperimentRow['type'];
};

/** Values that are read on request, for all runs of a page at once. */
export interface RunLookups {
  infras(): Promise<ReadonlyMap<string, Infra>>;
  revisions(): Promise<ReadonlyMap<string, Revision>>;
}

/** Lookups for the runs, or experiments, of one page. Each runs once. */
export function lookupsOf(
  { store, settings }: Pick<ControlPlane, 'store' | 'settings'>,
  project: string,
  rows: readonly { readonly infra_id: string; readonly revision_id: string }[],
): RunLookups {
  return {
    infras: once(() =>
      infrasByID(
        store.read,
        project,
        rows.map(({ infra_id }) => infra_id),
        settings.version,
      ),
    ),
    revisions: once(() =>
      revisionsByID(
        store.read,
        project,
        rows.map(({ revision_id }) => revision_id),
      ),
    ),
  };
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => (loading ??= load());
}

/** Fields of a run that are large or belong to other objects: resolvers read them on request. */
type LookedUp =
  | 'infra'
  | 'executionData'
  | 'timeline'
  | 'details'
  | 'keptLogs'
  | 'experimentManifest'
  | 'weightages';

/** A run as resolvers get it. */
export interface RunAnswer extends Omit<ExperimentRun, LookedUp> {
  readonly row: RunRow;
  readonly lookups: RunLookups;
}

/** A run as clients see it. */
export function asRun(row: ListedRun, lookups: RunLookups): RunAnswer {
  return {
    row,
    lookups,
    ...recent(row),
    projectID: row.project_id,
    experimentType: row.experiment_type,
    experimentID: row.experiment_id,
    experimentName: row.experiment_name,
    revisionID: row.revision_id,
    phase: row.phase as Phase,
    problem: row.problem,
    faultsPassed: row.faults_passed,
    faultsFailed: row.faults_failed,
    faultsAwaited: row.faults_awaited,
    faultsStopped: row.faults_stopped,
    faultsNa: row.faults_na,
    totalFaults: row.faults_total,
    isRemoved: row.removed === 1,
    notifyID: row.notify_id,
    origin: row.origin,
  };
}

/** A run in that form, as resolvers get it. */
export interface RecentRunAnswer extends RecentExperimentRun {
  readonly row: RunRow;
}

/** A run in the short form for its experiment. */
export function asRecentRun(row: RunRow): RecentRunAnswer {
  return { row, ...recent(row), phase: row.phase };
}

function recent(row: RunRow) {
  return {
    experimentRunID: row.run_id ?? '',
    resiliencyScore: row.score,
    outcome: outcomeAnswer(row),
    ...authorship(row),
    runSequence: row.sequence,
  };
}

/** The graph of a run before its agent reports it; the reason of a run that never began is in the field that agents use for it. */
export function emptyGraph({ name, phase, experiment_id: experimentID, problem }: RunRow): string {
  return JSON.stringify({
    name,
    phase,
    ...(problem !== null && { message: problem }),
    experimentID,
    nodes: {},
  });
}
