import { Refusal } from '../access/refusal.ts';
import type { HaltRow } from '../store/tables/halts.ts';
import type { InfraRow } from '../store/tables/infras.ts';
import type { Reader } from '../store/transaction.ts';

/**
 * Keeps what begins chaos from being ordered while it is halted. The lever in a cluster would hold the engines of a run and let them go when it is released:
 * chaos that was ordered against a halt would begin when nobody expects it. A schedule may begin where there is a lever, which holds what it makes;
 * LitmusChaos' operator has none.
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

/** Who has halted chaos, when and why, and how it goes on. Pure. */
function haltedSentence(infra: string, { asked_by, asked_at, reason }: HaltRow): string {
  const why = reason === '' ? '' : `: ${reason}`;
  const since = new Date(asked_at).toISOString();
  return `nothing was started: ${asked_by} has halted chaos on ${infra} since ${since}${why}; an Owner resumes it (resumeChaos, or "turnsole remote resume"), when that is meant`;
}
