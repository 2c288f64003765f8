import { dateRangeOf } from '../access/date-range.ts';
import { contains, pageRange } from '../access/lists.ts';
import type { ExperimentRunFilterInput, ListExperimentRunRequest } from '../schema/generated/types.ts';
import type { Reader } from '../store/transaction.ts';
import type { ListedRun } from './run-answers.ts';
import type { RunNames } from './run-rows.ts';

/** Runs of a project, and how many there are in all pages. */
export async function runPage(
  db: Reader,
  project: string,
  request: ListExperimentRunRequest,
): Promise<{ readonly total: number; readonly rows: readonly ListedRun[] }> {
  const matching = runsMatching(db, project, request);
  const { offset, limit } = pageRange(request.pagination);
  const order = request.sort?.ascending === true ? 'asc' : 'desc';
  const rows = await matching
    .selectAll('runs')
    .select(['experiments.name as experiment_name', 'experiments.type as experiment_type'])
    .orderBy(request.sort?.field === 'NAME' ? 'experiments.name' : 'runs.created_at', order)
    .orderBy('runs.key')
    .offset(offset)
    .limit(limit)
    .execute();
  return { total: await totalOf(db, project, request, matching), rows };
}

/** All runs of a project are counted already. */
async function totalOf(
  db: Reader,
  project: string,
  request: ListExperimentRunRequest,
  matching: ReturnType<typeof runsMatching>,
): Promise<number> {
  if (isUnfiltered(request)) {
    const counts = await phaseCounts(db, project);
    return [...counts.values()].reduce((sum, runs) => sum + runs, 0);
  }
  const { total } = await matching
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

function isUnfiltered({ experimentIDs, experimentRunIDs, filter }: ListExperimentRunRequest): boolean {
  const given = Object.values(filter ?? {}).filter((value) => value !== null && value !== undefined);
  return !experimentIDs?.length && !experimentRunIDs?.length && given.length === 0;
}

/** One run of a project, with what lists show; undefined where there is none. */
export async function listedRun(
  db: Reader,
  project: string,
  { runID, notifyID }: RunNames,
): Promise<ListedRun | undefined> {
  const query = runsMatching(db, project, {})
    .selectAll('runs')
    .select(['experiments.name as experiment_name', 'experiments.type as experiment_type']);
  const byRun = runID ? await query.where('runs.run_id', '=', runID).executeTakeFirst() : undefined;
  if (byRun !== undefined || !notifyID) return byRun;
  return query.where('runs.notify_id', '=', notifyID).executeTakeFirst();
}

function runsMatching(db: Reader, project: string, request: ListExperimentRunRequest) {
  const { filter } = request;
  const runIDs = namesIn(request.experimentRunIDs);
  const experimentIDs = namesIn(request.experimentIDs);
  const phases = wantedPhases(filter);
  const { from, to } = dateRangeOf(filter?.dateRange);
  return db
    .selectFrom('runs')
    .innerJoin('experiments', (join) =>
      join
        .onRef('experiments.project_id', '=', 'runs.project_id')
        .onRef('experiments.id', '=', 'runs.experiment_id'),
    )
    .where('runs.project_id', '=', project)
    .where('runs.removed', '=', 0)
    .$if(runIDs.length > 0, (query) => query.where('runs.run_id', 'in', runIDs))
    .$if(experimentIDs.length > 0, (query) => query.where('runs.experiment_id', 'in', experimentIDs))
    .$if(phases.length > 0, (query) => query.where('runs.phase', 'in', phases))
    .$if(Boolean(filter?.infraID), (query) => query.where('runs.infra_id', '=', filter?.infraID ?? ''))
    .$if(Boolean(filter?.experimentRunID), (query) =>
      query.where('runs.run_id', '=', filter?.experimentRunID ?? ''),
    )
    .$if(filter?.experimentType === 'CRON', (query) => query.where('experiments.cron_syntax', '!=', ''))
    .$if(filter?.experimentType === 'NON_CRON', (query) => query.where('experiments.cron_syntax', '=', ''))
    .$if(Boolean(filter?.experimentName), (query) =>
      query.where(({ ref }) => contains(ref('experiments.name'), filter?.experimentName ?? '')),
    )
    .$if(from !== undefined, (query) => query.where('runs.updated_at', '>=', from ?? 0))
    .$if(to !== undefined, (query) => query.where('runs.updated_at', '<=', to ?? 0));
}

function namesIn(names: readonly (string | null | undefined)[] | null | undefined): string[] {
  return (names ?? []).filter((name): name is string => typeof name === 'string' && name !== '');
}

function wantedPhases(filter: ExperimentRunFilterInput | null | undefined): string[] {
  const wanted = namesIn([...(filter?.experimentRunStatus ?? []), filter?.experimentStatus]);
  return wanted.includes('All') ? [] : wanted;
}

/** How many runs of a project are in each phase. */
export async function phaseCounts(db: Reader, project: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('run_counters')
    .select(({ fn }) => ['phase', fn.sum<number | string>('runs').as('runs')])
    .where('project_id', '=', project)
    .groupBy('phase')
    .execute();
  return new Map(rows.map(({ phase, runs }) => [phase, Number(runs)]));
}
