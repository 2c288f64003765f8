import type { Reader } from '../store/transaction.ts';
import type { AgentCaller } from './caller.ts';
import { Refusal } from './refusal.ts';
import { keyMatches } from './secret-box.ts';

/** How an agent says who it is, with every call. */
export interface Identity {
  readonly infraID: string;
  readonly accessKey: string;
  readonly version: string;
}

/** What is wrong with an agent's version for this server; undefined when nothing is. Pure. Rule: an equal major version, or for builds of a CI the same. */
export function versionMismatch(server: string, agent: string): string | undefined {
  if (server.includes('ci')) return server === agent ? undefined : mismatch(server, agent);
  const major = server.split('.', 1)[0] ?? '';
  const parts = agent.split('.');
  return parts.length === 3 && parts[0] === major ? undefined : mismatch(`${major}.x.x`, agent);
}

function mismatch(needed: string, got: string): string {
  return `ERROR: infra VERSION MISMATCH (need ${needed} got ${got})`;
}

/**
 * Who shows this key. An agent whose infrastructure is gone, unknown or not confirmed and one with a wrong key look alike.
 *
 * @param mayBeLeaving whether the agent of a deleted infrastructure is let in as well
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
  if (row === undefined || !right || row.registered !== 1)
    throw new Refusal('unauthenticated', 'ERROR:  accessID MISMATCH');
  return { kind: 'agent', infra: infraID, project: row.project_id, version };
}
