import { timeText, userDetails } from '../access/lists.ts';
import { readOutcome } from '../infra/connection/action-result.ts';
import type { ChaosHalt } from '../schema/generated/types.ts';
import type { Reader } from '../store/transaction.ts';
import { leverReport } from './halt-state.ts';

/** More would delay the requests of other clients. */
const MOST_ROWS = 1_000;

/** The state of the levers of a project, or of all projects. */
export async function haltStatus(db: Reader, project: string | undefined): Promise<ChaosHalt[]> {
  const rows = await db
    .selectFrom('halts')
    .innerJoin('infras', 'infras.id', 'halts.infra_id')
    .leftJoin('actions', 'actions.request_id', 'halts.request_id')
    .select([
      'halts.project_id',
      'halts.infra_id',
      'infras.name',
      'infras.active',
      'halted',
      'reason',
      'asked_by',
      'asked_at',
      'halts.request_id',
      'outcome',
    ])
    .$if(project !== undefined, (query) => query.where('halts.project_id', '=', project ?? ''))
    .where('infras.removed', '=', 0)
    .orderBy('infras.name')
    .orderBy('halts.infra_id')
    .limit(MOST_ROWS)
    .execute();
  return rows.map((row) => ({
    projectID: row.project_id,
    infraID: row.infra_id,
    infraName: row.name,
    isActive: row.active === 1,
    isHalted: row.halted === 1,
    reason: row.reason,
    by: userDetails(row.asked_by),
    at: timeText(row.asked_at),
    ...leverReport(row.request_id !== null, readOutcome(row.outcome)),
  }));
}
