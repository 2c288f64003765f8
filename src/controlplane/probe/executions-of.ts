import { userDetails } from '../access/lists.ts';
import type {
  ExecutionHistory,
  Mode,
  ProbeRecentExecutions,
  RecentExecutions,
} from '../schema/generated/types.ts';
import type { ProbeExecutionRow } from '../store/tables/probes.ts';
import type { Reader } from '../store/transaction.ts';

/** An execution with the name of its experiment. */
type Execution = ProbeExecutionRow & { readonly experiment_name: string };

const RECENT = 10;
/** Executions on one page. */
const HISTORY = 200;

/** The last executions of a probe, the newest first; those of deleted experiments as well. */
function executions(db: Reader, project: string, probe: string, limit: number): Promise<Execution[]> {
  return db
    .selectFrom('probe_executions')
    .innerJoin('experiments', (join) =>
      join
        .onRef('experiments.project_id', '=', 'probe_executions.project_id')
        .onRef('experiments.id', '=', 'probe_executions.experiment_id'),
    )
    .selectAll('probe_executions')
    .select('experiments.name as experiment_name')
    .where('probe_executions.project_id', '=', project)
    .where('probe_executions.probe_name', '=', probe)
    .orderBy('probe_executions.updated_at', 'desc')
    .orderBy('probe_executions.run_key')
    .limit(limit)
    .execute();
}

/** A probe's executions for lists. */
export async function recentExecutions(
  db: Reader,
  project: string,
  probe: string,
): Promise<ProbeRecentExecutions[]> {
  return (await executions(db, project, probe, RECENT)).map(asExecution);
}

/** The executions of a probe by fault and mode, the newest first. */
export async function executionsByFault(
  db: Reader,
  project: string,
  probe: string,
): Promise<RecentExecutions[]> {
  const rows = await executions(db, project, probe, HISTORY);
  const groups = Map.groupBy(rows, ({ fault, mode }) => `${mode} ${fault}`);
  return [...groups.values()].map((group) => {
    const executionHistory = group.map(
      (row): ExecutionHistory => ({ ...asExecution(row), mode: modeOf(row) }),
    );
    const { faultName, mode } = executionHistory[0] as ExecutionHistory;
    return { faultName, mode, executionHistory };
  });
}

function asExecution(row: Execution): ProbeRecentExecutions {
  return {
    faultName: row.fault,
    status: { verdict: row.verdict, description: row.description },
    executedByExperiment: {
      experimentID: row.experiment_id,
      experimentName: row.experiment_name,
      updatedAt: row.updated_at,
      updatedBy: userDetails(row.updated_by),
    },
  };
}

/** Modes of probes. */
const MODES: readonly Mode[] = ['SOT', 'EOT', 'Edge', 'Continuous', 'OnChaos'];

/** A mode that clients expect, whatever the manifest says. */
export function modeOf({ mode }: { readonly mode: string }): Mode {
  return MODES.find((known) => known === mode) ?? 'SOT';
}
