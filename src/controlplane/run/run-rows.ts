import { unpackText } from '../store/packed-text.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Reader } from '../store/transaction.ts';
import type { Fault } from './fault.ts';

/** The id by which a client looks for a run. */
export interface RunNames {
  readonly runID?: string | null | undefined;
  readonly notifyID?: string | null | undefined;
}

/** A run of a project; undefined if there is none, or it was deleted. The run's own id takes precedence over that of its start request. */
export async function findRun(
  db: Reader,
  project: string,
  { runID, notifyID }: RunNames,
): Promise<RunRow | undefined> {
  const named = runs(db, project).where('removed', '=', 0);
  const byRun = runID ? await named.where('run_id', '=', runID).executeTakeFirst() : undefined;
  if (byRun !== undefined || !notifyID) return byRun;
  return named.where('notify_id', '=', notifyID).executeTakeFirst();
}

function runs(db: Reader, project: string) {
  return db.selectFrom('runs').selectAll().where('project_id', '=', project);
}

/** The faults of a revision; none if the project has no such revision. */
export async function faultsOf(db: Reader, project: string, revision: string): Promise<readonly Fault[]> {
  return (await faultsOfRevisions(db, project, [revision])).get(revision)?.faults ?? [];
}

/** What a report of a run needs of a revision. */
export interface RevisionFaults {
  /** The experiment that it is a version of. */
  readonly experimentID: string;
  readonly faults: readonly Fault[];
}

/** Faults and experiments of revisions by ID, without unknown ones. */
export async function faultsOfRevisions(
  db: Reader,
  project: string,
  revisions: readonly string[],
): Promise<ReadonlyMap<string, RevisionFaults>> {
  const ids = [...new Set(revisions)].filter((id) => id !== '');
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('revisions')
    .select(['id', 'experiment_id', 'faults'])
    .where('id', 'in', ids)
    .where('project_id', '=', project)
    .execute();
  return new Map(
    rows.map(({ id, experiment_id: experimentID, faults }) => [
      id,
      { experimentID, faults: JSON.parse(faults) },
    ]),
  );
}

/** The agent's last report of a run; undefined if there is none. */
export async function executionTextOf(db: Reader, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('run_data').select('data').where('run_key', '=', key).executeTakeFirst();
  return row === undefined ? undefined : unpackText(row.data);
}
