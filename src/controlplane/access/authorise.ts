import type { Reader } from '../store/transaction.ts';
import { agentBy } from './agent-identity.ts';
import type { Caller, Role } from './caller.ts';
import type { Member } from './context.ts';
import { notSignedIn } from './not-signed-in.ts';
import type { Arguments, Operation } from './operations.ts';
import { Refusal } from './refusal.ts';

/** The caller of an authorised operation. */
export interface Authorised {
  readonly caller: Caller;
  readonly member?: Member;
}

/** Prefix of upstream's refusals for members; clients look for it. */
const DENIED = 'permission_denied:';

/**
 * Authorises a caller for an operation. A missing project and a project of others give the same error.
 *
 * @throws Refusal
 */
export async function authorise(
  db: Reader,
  serverVersion: string,
  { access, withInitialPassword }: Operation,
  args: Arguments,
  caller: Caller,
): Promise<Authorised> {
  if (caller.kind === 'user' && caller.mustChangePassword && withInitialPassword !== true) {
    throw new Refusal('forbidden', 'choose a password of your own first: POST /update/password', {
      error: 'default password not updated',
    });
  }
  switch (access.by) {
    case 'anyone':
      return { caller };
    case 'agent':
      return { caller: await agentBy(db, access.identity(args), serverVersion, access.leaving) };
    case 'signed-in':
      return { caller: signedIn(caller) };
    case 'admin':
      if (signedIn(caller).role !== 'admin')
        throw new Refusal('forbidden', `${DENIED} only administrators may do this`);
      return { caller };
    case 'admin-or-members':
      if (signedIn(caller).role === 'admin') return { caller };
      return memberOfProject(db, access.project(args) ?? '', access.roles, caller);
    case 'members':
      return memberOfProject(db, access.project(args), access.roles, caller);
    case 'members-of-infra': {
      const project = await projectOfInfra(db, access.infra(args));
      return memberOfProject(db, project, access.roles, caller);
    }
  }
}

/** @throws Refusal unless the caller is a signed-in user */
function signedIn(caller: Caller): Caller & { kind: 'user' } {
  if (caller.kind !== 'user') throw notSignedIn(caller);
  return caller;
}

async function memberOfProject(
  db: Reader,
  project: string,
  roles: readonly Role[],
  caller: Caller,
): Promise<Authorised> {
  const user = signedIn(caller);
  const row = await db
    .selectFrom('members')
    .select('role')
    .where('project_id', '=', project)
    .where('user_id', '=', user.id)
    .where('invitation', '=', 'Accepted')
    .executeTakeFirst();
  if (row === undefined) throw new Refusal('forbidden', `${DENIED} you are no member of project ${project}`);
  if (!roles.includes(row.role)) {
    throw new Refusal('forbidden', `${DENIED} a ${row.role} may not do this; it takes ${roles.join(' or ')}`);
  }
  return { caller, member: { project, role: row.role } };
}

/** Empty for an unknown infrastructure: the empty project has no members. */
async function projectOfInfra(db: Reader, infra: string): Promise<string> {
  const row = await db
    .selectFrom('infras')
    .select('project_id')
    .where('id', '=', infra)
    .where('removed', '=', 0)
    .executeTakeFirst();
  return row?.project_id ?? '';
}
