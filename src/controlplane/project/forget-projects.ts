import { sql } from 'kysely';
import type { Context, ControlPlane } from '../access/context.ts';
import { projectScope } from '../store/store.ts';
import type { Tx } from '../store/transaction.ts';

/** Rows per transaction, so that later transactions wait some milliseconds only. */
const PIECE = 500;
/** Offline agents have this long to reconnect and receive the order to leave. */
const FAREWELL_MS = 7 * 24 * 60 * 60_000;
/** Tables that are kept: the audit log outlives its objects. */
const KEPT = new Set(['projects', 'audit']);

/** Removes the data of projects that were deleted a week ago, in pieces, and then the projects. */
export async function forgetProjects({ plane, signal }: Context): Promise<void> {
  const rows = await plane.store.read
    .selectFrom('projects')
    .select('id')
    .where('removed', '=', 1)
    .where('updated_at', '<=', plane.clock.now() - FAREWELL_MS)
    .limit(100)
    .execute();
  for (const { id } of rows) {
    const tables = await plane.store.transaction(projectScope(id), tablesOfProjects);
    for (const table of tables) await emptyTable(plane, table, id, signal);
    if (signal.aborted) return;
    await plane.store.transaction(projectScope(id), async ({ db }) => {
      await db.deleteFrom('projects').where('id', '=', id).execute();
    });
  }
}

/** All tables with a column for the project, including future ones. */
async function tablesOfProjects({ db }: Tx): Promise<readonly string[]> {
  const tables = await db.introspection.getTables();
  return tables
    .filter(({ name, columns }) => !KEPT.has(name) && columns.some((column) => column.name === 'project_id'))
    .map(({ name }) => name);
}

async function emptyTable(
  { store }: ControlPlane,
  table: string,
  project: string,
  signal: AbortSignal,
): Promise<void> {
  const row = sql.ref(store.dialect === 'sqlite' ? 'rowid' : 'ctid');
  const piece = sql`delete from ${sql.table(table)} where ${row} in
    (select ${row} from ${sql.table(table)} where project_id = ${project} limit ${sql.lit(PIECE)})`;
  let removed = PIECE;
  while (removed === PIECE && !signal.aborted) {
    const { numAffectedRows } = await store.transaction(projectScope(project), ({ db }) => piece.execute(db));
    removed = Number(numAffectedRows ?? 0n);
  }
}
