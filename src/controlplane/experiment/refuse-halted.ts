import { Refusal } from '../access/refusal.ts';
import type { HaltRow } from '../store/tables/halts.ts';
import type { InfraRow } from '../store/tables/infras.ts';
import type { Reader } from '../store/transaction.ts';

/**
 * Refuses to start chaos while it is halted. The lever in a cluster would hold the engines of a run, and they would start unexpectedly when
 * the lever is released. A schedule may start on a cluster with a lever, which holds its engines; LitmusChaos' operator has none.
 *
 * @throws Refusal
 */
export async function refuseHalted(
  db: Reader,
  { id, name }: InfraRow,
  what: 'run' | 'schedule',
): Promise<void> {
  const halt = await db
    .selectFrom('halts')
    .selectAll()
    .where('infra_id', '=', id)
    .where('halted', '=', 1)
    .executeTakeFirst();
  const hasLever = halt?.request_id !== null;
  if (halt === undefined || (what === 'schedule' && hasLever)) return;
  throw new Refusal('halted', haltedSentence(name, halt));
}

/** Who has halted chaos, when and why, and how to resume. Pure. */
function haltedSentence(infra: string, { asked_by, asked_at, reason }: HaltRow): string {
  const why = reason === '' ? '' : `: ${reason}`;
  const since = new Date(asked_at).toISOString();
  return `nothing was started: ${asked_by} has halted chaos on ${infra} since ${since}${why}; an Owner resumes it (resumeChaos, or "turnsole remote resume"), when that is meant`;
}
