import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import { followChange } from './follow-change.ts';

/** End of a run that no agent has begun. */
interface UnbegunEnd {
  readonly phase: 'Error' | 'Timeout';
  /** Why, for people. */
  readonly problem: string;
}

/** Ends a run that is still queued, with all consequences. @returns false if it has begun or ended since it was read */
export async function endUnbegunRun(tx: Tx, run: RunRow, { phase, problem }: UnbegunEnd): Promise<boolean> {
  const after: RunRow = { ...run, phase, problem, completed: 1, ended_by: 'server', updated_at: tx.now };
  const { numUpdatedRows } = await tx.db
    .updateTable('runs')
    .set({ phase, problem, completed: 1, ended_by: 'server', updated_at: tx.now })
    .where('key', '=', run.key)
    .where('phase', '=', 'Queued')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await followChange(tx, run, after);
  return true;
}
