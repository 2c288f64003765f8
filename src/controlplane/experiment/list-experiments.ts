import { dateRangeOf } from '../access/date-range.ts';
import { contains, type Page, pageOf } from '../access/lists.ts';
import type { ListExperimentRequest } from '../schema/generated/types.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Reader } from '../store/transaction.ts';

/** A page of experiments of a project, and the number over all pages. */
export function experimentPage(
  db: Reader,
  project: string,
  request: ListExperimentRequest,
): Promise<Page<ExperimentRow>> {
  const order = request.sort?.ascending === true ? 'asc' : 'desc';
  const sorted = experimentsMatching(db, project, request)
    .selectAll('experiments')
    .orderBy(({ ref, fn, val }) => {
      const field = request.sort?.field;
      if (field === 'LAST_RUN') return fn.coalesce(ref('experiments.last_run_at'), val(0));
      return ref(field === 'NAME' ? 'experiments.name' : 'experiments.updated_at');
    }, order)
    .orderBy('experiments.id');
  return pageOf(sorted, request.pagination);
}

function experimentsMatching(db: Reader, project: string, { experimentIDs, filter }: ListExperimentRequest) {
  const ids = (experimentIDs ?? []).filter((id) => typeof id === 'string');
  const { from, to } = dateRangeOf(filter?.dateRange);
  const status = filter?.status === 'All' ? '' : (filter?.status ?? '');
  return db
    .selectFrom('experiments')
    .leftJoin('infras', 'infras.id', 'experiments.infra_id')
    .where('experiments.project_id', '=', project)
    .where('experiments.removed', '=', 0)
    .$if(ids.length > 0, (query) => query.where('experiments.id', 'in', ids))
    .$if(Boolean(filter?.experimentName), (query) =>
      query.where(({ ref }) => contains(ref('experiments.name'), filter?.experimentName ?? '')),
    )
    .$if(Boolean(filter?.infraID), (query) => query.where('experiments.infra_id', '=', filter?.infraID ?? ''))
    .$if(Boolean(filter?.infraName), (query) =>
      query.where(({ fn, val, ref }) =>
        contains(fn.coalesce(ref('infras.name'), val('')), filter?.infraName ?? ''),
      ),
    )
    .$if(typeof filter?.infraActive === 'boolean', (query) =>
      query.where('infras.active', '=', filter?.infraActive === true ? 1 : 0),
    )
    .$if(filter?.scheduleType === 'CRON', (query) => query.where('experiments.cron_syntax', '!=', ''))
    .$if(filter?.scheduleType === 'NON_CRON', (query) => query.where('experiments.cron_syntax', '=', ''))
    .$if(status !== '', (query) => query.where('experiments.last_phase', '=', status))
    .$if(from !== undefined, (query) => query.where('experiments.updated_at', '>=', from ?? 0))
    .$if(to !== undefined, (query) => query.where('experiments.updated_at', '<=', to ?? 0));
}

const RECENT_RUNS = 10;

/**
 * The last runs of experiments, the newest first, by experiment. Run numbers only rise, so each experiment's are a short range of an
 * index; deleted runs are filtered out afterwards, since databases would otherwise search for those first.
 */
export async function recentRuns(
  db: Reader,
  project: string,
  experiments: readonly ExperimentRow[],
): Promise<ReadonlyMap<string, readonly RunRow[]>> {
  const ran = experiments.filter(({ total_runs }) => total_runs > 0);
  if (ran.length === 0) return new Map();
  const rows = await db
    .selectFrom('runs')
    .selectAll()
    .where(({ or, and, eb }) =>
      or(
        ran.map(({ id, total_runs }) =>
          and([
            eb('project_id', '=', project),
            eb('experiment_id', '=', id),
            eb('sequence', '>', total_runs - RECENT_RUNS),
          ]),
        ),
      ),
    )
    .orderBy('sequence', 'desc')
    .execute();
  return Map.groupBy(
    rows.filter(({ removed }) => removed === 0),
    ({ experiment_id }) => experiment_id,
  );
}
