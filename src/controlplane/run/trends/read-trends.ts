import { type Context, memberOf } from '../../access/context.ts';
import { dateRangeOf } from '../../access/date-range.ts';
import type { DateRange, ServiceTrends } from '../../schema/generated/types.ts';
import type { Reader } from '../../store/transaction.ts';
import { recordsOfRuns } from '../records/run-page.ts';
import { outcomeAnswer } from '../run-outcome.ts';
import { hitServices } from './hit-services.ts';
import { serviceTrends, type TrendRun } from './service-trends.ts';

/** Runs that are read at most: a year of one run a day, and more. */
const MOST_RUNS = 500;
/** Runs whose records are in memory at a time. */
const TOGETHER = 25;

/** How the runs of a period went for each workload that they hit. @throws Refusal for times that are none */
export async function readTrends(range: DateRange, context: Context): Promise<ServiceTrends> {
  const { project } = memberOf(context);
  const db = context.plane.store.read;
  const period = runsOfPeriod(db, project, dateRangeOf(range));
  const read = await newestOf(period);
  const { total } = await period
    .select(({ fn }) => fn.countAll<number | string>().as('total'))
    .executeTakeFirstOrThrow();
  const runs: TrendRun[] = [];
  for (let next = 0; next < read.length; next += TOGETHER) {
    context.signal.throwIfAborted();
    const some = read.slice(next, next + TOGETHER);
    const records = await recordsOfRuns(
      db,
      some.map(({ key }) => key),
    );
    for (const row of some) {
      const { state, score } = outcomeAnswer(row);
      runs.push({
        ...{ experimentID: row.experiment_id, experimentName: row.experiment_name, infraID: row.infra_id },
        ...{ experimentRunID: row.run_id ?? row.notify_id ?? '', runSequence: row.sequence },
        ...{ atMs: row.created_at, state, score, services: hitServices(records.get(row.key) ?? []) },
      });
    }
  }
  return {
    services: serviceTrends(runs),
    runs: runs.length,
    withoutService: runs.filter(({ services }) => services.length === 0).length,
    leftOut: Number(total) - read.length,
  };
}

/** The runs that began in a period. */
function runsOfPeriod(
  db: Reader,
  project: string,
  { from, to }: { readonly from?: number; readonly to?: number },
) {
  return db
    .selectFrom('runs')
    .innerJoin('experiments', (join) =>
      join
        .onRef('experiments.project_id', '=', 'runs.project_id')
        .onRef('experiments.id', '=', 'runs.experiment_id'),
    )
    .where('runs.project_id', '=', project)
    .where('runs.removed', '=', 0)
    .$if(from !== undefined, (query) => query.where('runs.created_at', '>=', from ?? 0))
    .$if(to !== undefined, (query) => query.where('runs.created_at', '<', to ?? 0));
}

/** The newest of them, with their fields. */
function newestOf(period: ReturnType<typeof runsOfPeriod>) {
  return period
    .selectAll('runs')
    .select('experiments.name as experiment_name')
    .orderBy('runs.created_at', 'desc')
    .orderBy('runs.key')
    .limit(MOST_RUNS)
    .execute();
}
