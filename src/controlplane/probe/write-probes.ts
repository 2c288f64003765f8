import { Refusal } from '../access/refusal.ts';
import { madeBy } from '../store/tables/columns.ts';
import type { ProbeRow } from '../store/tables/probes.ts';
import type { Tx } from '../store/transaction.ts';
import type { KeptProbe } from './manifest-probe.ts';

/** Database indexes limit the length of names. */
const MOST_CHARACTERS = 256;
/** Characters of a name that is too long, in the error about it. */
const SHOWN = 40;

/** Description and tags of a probe. */
interface ProbeTexts {
  readonly description: string;
  readonly tags: readonly string[];
}

/** Author and project of a new probe. */
interface ProbeMaker {
  readonly project: string;
  readonly username: string;
}

/**
 * Adds a probe to a project; the name of a deleted one is free again, and starts without history.
 *
 * @returns its row; undefined if the project has one of that name
 * @throws Refusal for a name that is too long
 */
export async function insertProbe(
  tx: Tx,
  { project, username }: ProbeMaker,
  { name, type, body }: KeptProbe,
  { description, tags }: ProbeTexts,
): Promise<ProbeRow | undefined> {
  if (name.length > MOST_CHARACTERS) {
    const sentence = `name of probe ${name.slice(0, SHOWN)}… is longer than ${MOST_CHARACTERS} characters`;
    throw new Refusal('invalid', sentence, { fields: ['request.name'] });
  }
  const row: ProbeRow = {
    project_id: project,
    name,
    type,
    body: JSON.stringify(body),
    description,
    tags: JSON.stringify(tags),
    executions: 0,
    ...madeBy(username, tx.now),
    removed: 0,
  };
  const made = await tx.db
    .insertInto('probes')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['project_id', 'name']).doUpdateSet(row).where('probes.removed', '=', 1),
    )
    .executeTakeFirst();
  if (made.numInsertedOrUpdatedRows !== 1n) return undefined;
  await tx.db
    .deleteFrom('probe_executions')
    .where('project_id', '=', project)
    .where('probe_name', '=', name)
    .execute();
  await tx.change({ project, kind: 'probe', id: name });
  return row;
}
