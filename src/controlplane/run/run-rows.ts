import { unpackText } from '../store/packed-text.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Reader } from '../store/transaction.ts';
import type { Fault } from './fault.ts';

/** By which of its names somebody looks for a run. */
export interface RunNames {
  readonly runID?: string | null | undefined;
  readonly notifyID?: string | null | undefined;
}

/** A run of a project; undefined where there is none, or it was deleted. The run's own id goes before that of its start. */
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

/** The run that an agent tells of: by the id of its start, by its own, or by the name of its object. Also one that was deleted. */
export async function toldRun(
  db: Reader,
  project: string,
  event: {
    readonly notifyID: string;
    readonly runID: string;
    readonly experimentID: string;
    readonly name: string;
  },
): Promise<RunRow | undefined> {
  const ofProject = runs(db, project);
  const byStart =
    event.notifyID === ''
      ? undefined
      : await ofProject.where('notify_id', '=', event.notifyID).executeTakeFirst();
  if (byStart !== undefined) return byStart;
  const byID = await ofProject.where('run_id', '=', event.runID).executeTakeFirst();
  if (byID !== undefined || event.notifyID !== '') return byID;
  // Agents tell of an engine without a workflow by its name.
  return ofProject
    .where('experiment_id', '=', event.experimentID)
    .where('name', '=', event.name)
    .where('run_id', 'is', null)
    .executeTakeFirst();
}

function runs(db: Reader, project: string) {
  return db.selectFrom('runs').selectAll().where('project_id', '=', project);
}

/** The faults of a revision; none where the project has no such revision. */
export async function faultsOf(db: Reader, project: string, revision: string): Promise<readonly Fault[]> {
  const row = await db
    .selectFrom('revisions')
    .select('faults')
    .where('id', '=', revision)
    .where('project_id', '=', project)
    .executeTakeFirst();
  return row === undefined ? [] : JSON.parse(row.faults);
}

/** The agent's last account of a run; undefined where it has not told anything. */
export async function executionTextOf(db: Reader, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('run_data').select('data').where('run_key', '=', key).executeTakeFirst();
  return row === undefined ? undefined : unpackText(row.data);
}
