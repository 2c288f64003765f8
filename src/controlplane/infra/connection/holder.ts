import { wrongKey } from '../../access/agent-identity.ts';
import { Refusal } from '../../access/refusal.ts';
import { projectScope, type Store } from '../../store/store.ts';
import type { InfraRow } from '../../store/tables/infras.ts';
import { agentTopic } from '../enqueue-action.ts';
import { INFRA_LIVE, INFRA_OFFLINE, infraChange } from '../infra-events.ts';
import { STALE_MS } from './times.ts';

/** One subscription of an agent to its actions. */
export interface Connection {
  readonly id: string;
  readonly infra: string;
  readonly project: string;
  /** Version of the agent. */
  readonly version: string;
  /** Hash of the key that it was opened with. */
  readonly keyHash: string;
  /** Whether the agent reports the outcome of each action. */
  readonly reportsResults: boolean;
  /** Types of requests beyond ChaosCenter's that it answers. */
  readonly answers: readonly string[];
}

/** While a second agent keeps retrying within this time, the first one stays connected. */
const CONTEST_MS = 300_000;

/** Whether a further connection replaces the current one. Pure. */
function mayTakeOver(
  { active, seen_at, contested_until }: Pick<InfraRow, 'active' | 'seen_at' | 'contested_until'>,
  now: number,
): boolean {
  const isHeld = active === 1 && seen_at !== null && seen_at > now - STALE_MS;
  return !isHeld || contested_until === null || contested_until <= now;
}

/**
 * Makes a connection the current one of its infrastructure; an earlier one is notified and ends.
 *
 * @throws Refusal with upstream's text if another agent is connected, or the connection's key was replaced
 */
export async function takeOver(store: Store, connection: Connection): Promise<void> {
  const { id, infra, project, version, answers, keyHash } = connection;
  const isHolder = await store.transaction(projectScope(project), async (tx) => {
    const row = await tx.db
      .selectFrom('infras')
      .select(['project_id', 'id', 'active', 'seen_at', 'contested_until', 'access_key_hash'])
      .where('id', '=', infra)
      .executeTakeFirstOrThrow();
    if (row.access_key_hash !== keyHash) throw wrongKey();
    const holds = mayTakeOver(row, tx.now);
    const contested = { contested_until: tx.now + CONTEST_MS };
    const held = {
      active: 1,
      connection_id: id,
      seen_at: tx.now,
      contested_until: null,
      version,
      answers: JSON.stringify(answers),
      // An agent that connects has stored the current key.
      former_key_hash: null,
    } as const;
    await tx.db
      .updateTable('infras')
      .set(holds ? held : contested)
      .where('id', '=', infra)
      .execute();
    if (holds) await tx.change(infraChange(row, INFRA_LIVE));
    if (holds) tx.wake(agentTopic(infra));
    return holds;
  });
  if (!isHolder) throw new Refusal('conflict', 'CLUSTER ALREADY CONNECTED');
}

/**
 * What a connection is to its infrastructure. Rekeyed: its key was replaced. Lapsed: it was taken for dead, as after a time without a database, and none has come in its
 * place.
 */
export async function holderState(
  store: Store,
  { id, infra, keyHash }: Connection,
): Promise<'holds' | 'rekeyed' | 'lapsed' | 'displaced' | 'removed'> {
  const row = await store.read
    .selectFrom('infras')
    .select(['connection_id', 'removed', 'access_key_hash'])
    .where('id', '=', infra)
    .executeTakeFirst();
  if (row?.connection_id === id && row.access_key_hash !== keyHash) return 'rekeyed';
  if (row?.connection_id === id) return row.removed === 1 ? 'removed' : 'holds';
  return row?.connection_id === null && row.removed === 0 ? 'lapsed' : 'displaced';
}

/** Records that a connection was displaced while its agent lives, so that two agents do not displace one another for ever. */
export async function contest(store: Store, { id, infra, project }: Connection): Promise<void> {
  await store.transaction(projectScope(project), async (tx) => {
    await tx.db
      .updateTable('infras')
      .set({ contested_until: tx.now + CONTEST_MS })
      .where('id', '=', infra)
      .where('active', '=', 1)
      .where('connection_id', '!=', id)
      .execute();
    await tx.change({ project, kind: 'infra', id: infra });
  });
}

/** Ends a connection; the end of a displaced one changes nothing. */
export async function release(store: Store, { id, infra, project }: Connection): Promise<void> {
  await store.transaction(projectScope(project), async (tx) => {
    const { numUpdatedRows } = await tx.db
      .updateTable('infras')
      .set({ active: 0, connection_id: null, seen_at: tx.now, contested_until: null })
      .where('id', '=', infra)
      .where('connection_id', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows === 1n)
      await tx.change(infraChange({ project_id: project, id: infra }, INFRA_OFFLINE));
  });
}
