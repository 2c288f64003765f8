import { type Context, memberOf } from '../access/context.ts';
import { readFields, requiredText } from '../access/fields.ts';
import type { Arguments } from '../access/operations.ts';
import { found, Refusal } from '../access/refusal.ts';
import { asMember, type MemberDetails, membersOf, projectById, withMembers } from './projects.ts';

const PROJECT = { project_id: requiredText() };

/** The members of each of upstream's states. */
const STATES: Readonly<Record<string, (member: MemberDetails) => boolean>> = {
  accepted: ({ invitation }) => invitation === 'Accepted',
  not_accepted: ({ invitation }) => invitation !== 'Accepted',
  all: () => true,
};

export async function getProject(args: Arguments, context: Context): Promise<object> {
  readFields(args, PROJECT);
  const db = context.plane.store.read;
  const row = found(await projectById(db, memberOf(context).project), 'the project is gone');
  const [project] = await withMembers(db, [row]);
  return { data: project };
}

export async function getProjectRole(args: Arguments, context: Context): Promise<object> {
  readFields(args, PROJECT);
  return { role: memberOf(context).role };
}

/** @throws Refusal for an unknown state */
export async function getProjectMembers(args: Arguments, context: Context): Promise<object> {
  const { state } = readFields(args, { ...PROJECT, state: requiredText() });
  const isMeant = Object.hasOwn(STATES, state) ? STATES[state] : undefined;
  if (isMeant === undefined) {
    throw new Refusal('invalid', `state is none of ${Object.keys(STATES).join(', ')}`, { fields: ['state'] });
  }
  const members = await membersOf(context.plane.store.read, [memberOf(context).project]);
  return { data: members.filter(isMeant).map(asMember) };
}

export async function getProjectOwners(args: Arguments, context: Context): Promise<object> {
  readFields(args, PROJECT);
  const members = await membersOf(context.plane.store.read, [memberOf(context).project]);
  const owners = members.filter(({ role, invitation }) => role === 'Owner' && invitation === 'Accepted');
  return { data: owners.map(asMember) };
}
