import { systemClock } from '@turnsole/kube/base/clock';
import { sql } from 'kysely';
import { runRow } from '../../src/controlplane/run/testing/rows.ts';
import { openStore, type StoreLocation } from '../../src/controlplane/store/open.ts';
import { projectScope } from '../../src/controlplane/store/store.ts';
import type { RunRow } from '../../src/controlplane/store/tables/runs.ts';
import type { Tx } from '../../src/controlplane/store/transaction.ts';

/** A statement of more takes longer than the store lets one take on a busy machine. */
const PIECE = 20_000;

/** Writes runs of each experiment directly, as if they had been over for long, and their counts. */
export async function writeRuns(
  location: StoreLocation,
  project: string,
  experiments: readonly string[],
  runs: number,
): Promise<void> {
  const store = await openStore(location, { clock: systemClock });
  const each = Math.floor(PIECE / experiments.length);
  const inAll = Math.ceil(runs / experiments.length);
  try {
    for (let from = 0; from < inAll; from += each) {
      const count = Math.min(each, inAll - from);
      await store.transaction(projectScope(project), (tx) => writePiece(tx, project, count));
    }
  } finally {
    await store.close();
  }
}

/** As many runs of each experiment of the project: the database makes them from a row, which is faster than to be handed them. */
async function writePiece({ db }: Tx, project: string, each: number): Promise<void> {
  const row = runRow({ phase: 'Completed', completed: 1, final: 1, score: 100, faults_passed: 1 });
  const name = sql`experiments.id || '-many-' || (experiments.total_runs + n.i)`;
  const made = new Map<keyof RunRow, unknown>([
    ...(['key', 'run_id', 'notify_id'] as const).map((column) => [column, name] as const),
    ...(['project_id', 'infra_id', 'revision_id'] as const).map(
      (column) => [column, sql.ref(`experiments.${column}`)] as const,
    ),
    ['experiment_id', sql.ref('experiments.id')],
    ['sequence', sql`experiments.total_runs + n.i`],
    ['updated_at', sql`experiments.total_runs + n.i`],
  ]);
  const columns = Object.keys(row) as (keyof RunRow)[];
  const values = columns.map((column) => made.get(column) ?? sql.lit(row[column]));
  await sql`
    INSERT INTO runs (${sql.join(columns.map((column) => sql.ref(column)))})
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${sql.lit(each)})
    SELECT ${sql.join(values)} FROM n CROSS JOIN experiments WHERE experiments.project_id = ${project}`.execute(
    db,
  );
  await db
    .updateTable('experiments')
    .set(({ eb, ref }) => ({
      total_runs: eb(ref('total_runs'), '+', each),
      completed_runs: eb(ref('completed_runs'), '+', each),
      score_sum: eb(ref('score_sum'), '+', each * row.score),
      last_phase: row.phase,
    }))
    .where('project_id', '=', project)
    .execute();
}
