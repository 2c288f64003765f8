import type { Infra } from '../schema/generated/types.ts';
import type { Reader } from '../store/transaction.ts';

type CountedInfra = Pick<Infra, 'projectID' | 'infraID'>;

/** Number of experiments of an infrastructure. */
export async function experimentsOn(db: Reader, { projectID, infraID }: CountedInfra): Promise<number> {
  const { total } = await onInfra(db, projectID, infraID)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** Number of its runs, without deleted ones. */
export async function runsOn(db: Reader, { projectID, infraID }: CountedInfra): Promise<number> {
  const { runs } = await db
    .selectFrom('run_counters')
    .select(({ fn }) => fn.sum<number | string | null>('runs').as('runs'))
    .where('project_id', '=', projectID)
    .where('infra_id', '=', infraID)
    .executeTakeFirstOrThrow();
  return Number(runs ?? 0);
}

/** Time of the last report of a run there, as text; empty before the first one. */
export async function lastRunOn(db: Reader, { projectID, infraID }: CountedInfra): Promise<string> {
  const { at } = await onInfra(db, projectID, infraID)
    .select(({ fn }) => fn.max('last_run_at').as('at'))
    .executeTakeFirstOrThrow();
  return at === null ? '' : `${at}`;
}

function onInfra(db: Reader, project: string, infra: string) {
  return db
    .selectFrom('experiments')
    .where('infra_id', '=', infra)
    .where('removed', '=', 0)
    .where('project_id', '=', project);
}
