import type { Reader } from '../store/transaction.ts';
import type { AgentCaller } from './caller.ts';
import { Refusal } from './refusal.ts';
import { keyMatches } from './secret-box.ts';

/** Identity and version that an agent sends with every call. */
export interface Identity {
  readonly infraID: string;
  readonly accessKey: string;
  readonly version: string;
}

/** Why an agent's version does not fit this server; undefined if it fits. Pure. Rule: an equal major version; CI builds must be the same. */
export function versionMismatch(server: string, agent: string): string | undefined {
  if (server.includes('ci')) return server === agent ? undefined : mismatch(server, agent);
  const major = server.split('.', 1)[0] ?? '';
  const parts = agent.split('.');
  return parts.length === 3 && parts[0] === major ? undefined : mismatch(`${major}.x.x`, agent);
}

function mismatch(needed: string, got: string): string {
  return `ERROR: infra VERSION MISMATCH (need ${needed} got ${got})`;
}

/** In upstream's words: its agents know by them that they are refused. */
export function wrongKey(): Refusal {
  return new Refusal('unauthenticated', 'ERROR:  accessID MISMATCH');
}

/**
 * The agent with this key. A deleted, unknown or unconfirmed infrastructure and a wrong key give the same error.
 *
 * @param mayBeLeaving whether to accept the agent of a deleted infrastructure as well
 * @throws Refusal with upstream's texts
 */
export async function agentBy(
  db: Reader,
  identity: Identity,
  serverVersion: string,
  mayBeLeaving = false,
): Promise<AgentCaller> {
  const { infraID, accessKey, version } = identity;
  const wrong = versionMismatch(serverVersion, version);
  if (wrong !== undefined) throw new Refusal('forbidden', wrong);
  const row = await db
    .selectFrom('infras')
    .select(['project_id', 'access_key_hash', 'registered'])
    .where('id', '=', infraID)
    .where('removed', 'in', mayBeLeaving ? [0, 1] : [0])
    .executeTakeFirst();
  const right = keyMatches(accessKey, row?.access_key_hash ?? null);
  if (row === undefined || !right || row.registered !== 1) throw wrongKey();
  return { kind: 'agent', infra: infraID, project: row.project_id, version };
}
