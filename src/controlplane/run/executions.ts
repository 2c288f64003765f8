import type { ProbeExecutionRow } from '../store/tables/probes.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import type { ExecutionData } from './execution-data.ts';
import type { Fault } from './fault.ts';
import { probeVerdicts } from './probe-verdicts.ts';

/**
 * Records what the probes of a run have come to, or that they are awaited: a page of a probe does not look through runs. It is done when
 * a run begins and when it ends, not with every word of the agent.
 */
export async function recordExecutions(
  tx: Tx,
  run: Pick<RunRow, 'key' | 'project_id' | 'experiment_id' | 'updated_by'>,
  faults: readonly Fault[],
  data: ExecutionData | undefined,
): Promise<void> {
  const rows = executionRows(run, faults, data, tx.now);
  if (rows.length === 0) return;
  if (data === undefined) await countUses(tx, run.project_id, rows);
  await tx.db
    .insertInto('probe_executions')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['run_key', 'fault_index', 'probe_name', 'mode']).doUpdateSet(({ ref }) => ({
        verdict: ref('excluded.verdict'),
        description: ref('excluded.description'),
        updated_at: ref('excluded.updated_at'),
        updated_by: ref('excluded.updated_by'),
      })),
    )
    .execute();
}

/** One for each probe of each fault; before the agent's last word they are awaited. Pure. */
function executionRows(
  run: Pick<RunRow, 'key' | 'project_id' | 'experiment_id' | 'updated_by'>,
  faults: readonly Fault[],
  data: ExecutionData | undefined,
  now: number,
): ProbeExecutionRow[] {
  const rows = faults.flatMap((fault, fault_index) =>
    probeVerdicts(fault, faults, data).map(({ name, mode, verdict, description }) => ({
      run_key: run.key,
      fault_index,
      probe_name: name,
      // A reference that names no mode still has one row.
      mode,
      project_id: run.project_id,
      experiment_id: run.experiment_id,
      fault: fault.artifact || fault.name,
      verdict: data === undefined ? ('Awaited' as const) : verdict,
      description: data === undefined ? '' : description,
      updated_at: now,
      updated_by: run.updated_by,
    })),
  );
  const byKey = new Map(rows.map((row) => [`${row.fault_index} ${row.mode} ${row.probe_name}`, row]));
  return [...byKey.values()];
}

async function countUses(tx: Tx, project: string, rows: readonly ProbeExecutionRow[]): Promise<void> {
  for (const [name, uses] of Map.groupBy(rows, ({ probe_name }) => probe_name)) {
    await tx.db
      .updateTable('probes')
      .set(({ eb, ref }) => ({ executions: eb(ref('executions'), '+', uses.length) }))
      .where('project_id', '=', project)
      .where('name', '=', name)
      .execute();
  }
}
