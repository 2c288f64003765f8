import { equalJson } from '@turnsole/kube/text/json';
import { dateRangeOf } from '../access/date-range.ts';
import { contains, type Page, pageRange } from '../access/lists.ts';
import type { ListExperimentRunRequest } from '../schema/generated/types.ts';
import type { Reader } from '../store/transaction.ts';
import type { ListedRun } from './run-answers.ts';
import type { RunNames } from './run-rows.ts';

/** A page of runs of a project, and the number over all pages. */
export async function runPage(
  db: Reader,
  project: string,
  request: ListExperimentRunRequest,
): Promise<Page<ListedRun>> {
  const filters = filtersOf(request);
  const { offset, limit } = pageRange(request.pagination);
  const order = request.sort?.ascending === true ? 'asc' : 'desc';
  const rows = await listed(runsMatching(db, project, filters))
    .orderBy(request.sort?.field === 'NAME' ? 'experiments.name' : 'runs.created_at', order)
    .orderBy('runs.key')
    .offset(offset)
    .limit(limit)
    .execute();
  return { total: await totalOf(db, project, filters), rows };
}

/** One run of a project, with the fields of lists; undefined if there is none. */
export async function listedRun(
  db: Reader,
  project: string,
  { runID, notifyID }: RunNames,
): Promise<ListedRun | undefined> {
  const query = listed(runsMatching(db, project, NO_FILTERS));
  const byRun = runID ? await query.where('runs.run_id', '=', runID).executeTakeFirst() : undefined;
  if (byRun !== undefined || !notifyID) return byRun;
  return query.where('runs.notify_id', '=', notifyID).executeTakeFirst();
}

/** Adds the fields of the experiment for lists. */
function listed(query: ReturnType<typeof runsMatching>) {
  return query
    .innerJoin('experiments', (join) =>
      join
        .onRef('experiments.project_id', '=', 'runs.project_id')
        .onRef('experiments.id', '=', 'runs.experiment_id'),
    )
    .selectAll('runs')
    .select(['experiments.name as experiment_name', 'experiments.type as experiment_type']);
}

/** Filter of runs; an empty list or text matches all. */
interface Filters {
  readonly phases: readonly string[];
  readonly infraID: string;
  readonly runIDs: readonly string[];
  readonly experimentIDs: readonly string[];
  readonly experimentName: string;
  readonly schedule: 'CRON' | 'NON_CRON' | 'ALL';
  readonly from?: number;
  readonly to?: number;
}

const NO_FILTERS: Filters = {
  phases: [],
  infraID: '',
  runIDs: [],
  experimentIDs: [],
  experimentName: '',
  schedule: 'ALL',
};

function filtersOf({ experimentRunIDs, experimentIDs, filter }: ListExperimentRunRequest): Filters {
  const phases = namesIn([...(filter?.experimentRunStatus ?? []), filter?.experimentStatus]);
  return {
    phases: phases.includes('All') ? [] : phases,
    infraID: filter?.infraID ?? '',
    runIDs: namesIn([...(experimentRunIDs ?? []), filter?.experimentRunID]),
    experimentIDs: namesIn(experimentIDs),
    experimentName: filter?.experimentName ?? '',
    schedule: filter?.experimentType ?? 'ALL',
    ...dateRangeOf(filter?.dateRange),
  };
}

function namesIn(names: readonly (string | null | undefined)[] | null | undefined): string[] {
  return (names ?? []).filter((name): name is string => typeof name === 'string' && name !== '');
}

/** Uses the counters if they have the number. */
async function totalOf(db: Reader, project: string, filters: Filters): Promise<number> {
  const { phases } = filters;
  if (equalJson({ ...filters, phases: [] }, NO_FILTERS)) {
    const counts = await phaseCounts(db, project);
    return [...counts].reduce(
      (sum, [phase, runs]) => sum + (phases.length === 0 || phases.includes(phase) ? runs : 0),
      0,
    );
  }
  const { total } = await runsMatching(db, project, filters)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

function runsMatching(db: Reader, project: string, filters: Filters) {
  const { phases, infraID, runIDs, experimentIDs, experimentName, schedule, from, to } = filters;
  return db
    .selectFrom('runs')
    .where('runs.project_id', '=', project)
    .where('runs.removed', '=', 0)
    .$if(runIDs.length > 0, (query) => query.where('runs.run_id', 'in', runIDs))
    .$if(experimentIDs.length > 0, (query) => query.where('runs.experiment_id', 'in', experimentIDs))
    .$if(phases.length > 0, (query) => query.where('runs.phase', 'in', phases))
    .$if(infraID !== '', (query) => query.where('runs.infra_id', '=', infraID))
    .$if(experimentName !== '' || schedule !== 'ALL', (query) =>
      query.where('runs.experiment_id', 'in', experimentsMatching(db, project, filters)),
    )
    .$if(from !== undefined, (query) => query.where('runs.updated_at', '>=', from ?? 0))
    .$if(to !== undefined, (query) => query.where('runs.updated_at', '<=', to ?? 0));
}

function experimentsMatching(db: Reader, project: string, { experimentName, schedule }: Filters) {
  return db
    .selectFrom('experiments')
    .select('id')
    .where('project_id', '=', project)
    .$if(experimentName !== '', (query) => query.where(({ ref }) => contains(ref('name'), experimentName)))
    .$if(schedule === 'CRON', (query) => query.where('cron_syntax', '!=', ''))
    .$if(schedule === 'NON_CRON', (query) => query.where('cron_syntax', '=', ''));
}

/** Number of runs of a project by phase. */
export async function phaseCounts(db: Reader, project: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('run_counters')
    .select(({ fn }) => ['phase', fn.sum<number | string>('runs').as('runs')])
    .where('project_id', '=', project)
    .groupBy('phase')
    .execute();
  return new Map(rows.map(({ phase, runs }) => [phase, Number(runs)]));
}
