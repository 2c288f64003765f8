import type { ExecutionData } from '../../services/report/account/execution-data.ts';
import type { ProbeExecutionRow } from '../store/tables/probes.ts';
import type { RunRow } from '../store/tables/runs.ts';
import type { Tx } from '../store/transaction.ts';
import type { Fault } from './fault.ts';
import { probeVerdicts } from './probe-verdicts.ts';

/** The run of the probes. */
type ExecutedRun = Pick<RunRow, 'key' | 'project_id' | 'experiment_id' | 'updated_by'>;

/**
 * Records the verdicts of the probes of runs, or that they are awaited, so that the page of a probe need not search runs. Happens when a run
 * begins and when it ends, not with every report.
 *
 * @param begun rows of runs that begin
 * @param ended rows of runs that have ended, which may have begun just now; all of one project
 */
export async function recordExecutions(
  tx: Tx,
  begun: readonly ProbeExecutionRow[],
  ended: readonly ProbeExecutionRow[] = [],
): Promise<void> {
  const keyed = [...begun, ...ended].map((row) => [keyOf(row), row] as const);
  if (keyed.length === 0) return;
  await countUses(tx, begun);
  await tx.db
    .insertInto('probe_executions')
    .values([...new Map(keyed).values()])
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

function keyOf({ run_key, fault_index, mode, probe_name }: ProbeExecutionRow): string {
  return `${fault_index} ${mode} ${probe_name} ${run_key}`;
}

/** One row for each probe of each fault; awaited before the agent's final report. Pure. */
export function executionRows(
  run: ExecutedRun,
  faults: readonly Fault[],
  data: ExecutionData | undefined,
  now: number,
): ProbeExecutionRow[] {
  const rows = faults.flatMap((fault, fault_index) =>
    probeVerdicts(fault, faults, data).map(({ name, mode, verdict, description }) => ({
      run_key: run.key,
      fault_index,
      probe_name: name,
      // A reference without a mode still has one row.
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
  return [...new Map(rows.map((row) => [keyOf(row), row])).values()];
}

async function countUses(tx: Tx, rows: readonly ProbeExecutionRow[]): Promise<void> {
  const project = rows[0]?.project_id ?? '';
  for (const [name, uses] of Map.groupBy(rows, ({ probe_name }) => probe_name)) {
    await tx.db
      .updateTable('probes')
      .set(({ eb, ref }) => ({ executions: eb(ref('executions'), '+', uses.length) }))
      .where('project_id', '=', project)
      .where('name', '=', name)
      .execute();
  }
}
