import type { MemberRow } from '../store/tables/projects.ts';
import type { Reader } from '../store/transaction.ts';

/** Part of the answer when a member loses the right to see manifests; nothing where no key can be known. */
interface KnownKeys {
  /** Infrastructures whose agents' keys the member may know. */
  readonly keysToRotate?: readonly { readonly infraID: string; readonly name: string }[];
  readonly hint?: string;
}

/** The agents' keys that a member may have seen: manifests show them to owners and executors. */
export async function keysKnownTo(
  db: Reader,
  member: Pick<MemberRow, 'project_id' | 'role' | 'invitation'> | undefined,
): Promise<KnownKeys> {
  if (member?.invitation !== 'Accepted' || member.role === 'Viewer') return {};
  const keysToRotate = await db
    .selectFrom('infras')
    .select(['id as infraID', 'name'])
    .where('project_id', '=', member.project_id)
    .where('removed', '=', 0)
    .orderBy('name')
    .execute();
  if (keysToRotate.length === 0) return {};
  const names = keysToRotate.map(({ name }) => name).join(', ');
  const hint = `the member may know the keys of agents, which manifests show: rotate those of ${names} (rotateInfraKey, turnsole remote infra rotate-key)`;
  return { keysToRotate, hint };
}
