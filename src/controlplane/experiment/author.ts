import { type Context, memberOf, userOf } from '../access/context.ts';

/** The user in whose name a change is made, and the project: a member, or the user for whom a trigger or a repository acts. */
export interface Author {
  readonly project: string;
  readonly username: string;
}

/** The calling member. @throws Refusal if the caller is not signed in */
export function authorOf(context: Context): Author {
  return { project: memberOf(context).project, username: userOf(context).username };
}
