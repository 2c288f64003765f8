import { type Context, memberOf, userOf } from '../access/context.ts';

/** In whose name something is done, and in which project: a member's, or whoever a trigger or a repository acts for. */
export interface Author {
  readonly project: string;
  readonly username: string;
}

/** The member who asks. @throws Refusal when nobody is signed in */
export function authorOf(context: Context): Author {
  return { project: memberOf(context).project, username: userOf(context).username };
}
