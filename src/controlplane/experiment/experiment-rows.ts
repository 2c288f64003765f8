import { found } from '../access/refusal.ts';
import { type Revision, revisionsByID } from '../run/revision-rows.ts';
import type { ExperimentRow } from '../store/tables/experiments.ts';
import type { InfraRow } from '../store/tables/infras.ts';
import type { Reader } from '../store/transaction.ts';

/** An experiment of a project, also a deleted one. */
export function anyExperiment(db: Reader, project: string, id: string): Promise<ExperimentRow | undefined> {
  return db
    .selectFrom('experiments')
    .selectAll()
    .where('project_id', '=', project)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** An experiment of a project. @throws Refusal if it does not exist, or was deleted */
export async function experimentRow(db: Reader, project: string, id: string): Promise<ExperimentRow> {
  const row = await anyExperiment(db, project, id);
  return found(row?.removed === 0 ? row : undefined, `no experiment ${id} in this project`);
}

/** The newest revision of an experiment. @throws Refusal */
export async function latestRevision(db: Reader, row: ExperimentRow): Promise<Revision> {
  const revisions = await revisionsByID(db, row.project_id, [row.revision_id]);
  return found(revisions.get(row.revision_id), 'no revisions found');
}

/** An infrastructure of a project; undefined if it does not exist, or was deleted. */
export function infraOf(db: Reader, project: string, id: string): Promise<InfraRow | undefined> {
  return db
    .selectFrom('infras')
    .selectAll()
    .where('project_id', '=', project)
    .where('id', '=', id)
    .where('removed', '=', 0)
    .executeTakeFirst();
}
