import type { ControlPlane } from '../access/context.ts';
import { ACCOUNTS } from '../store/store.ts';
import { insertUser } from './create-user.ts';
import { checkUsername } from './policy.ts';

const DEFAULT_NAME = 'admin';
const PASSWORD_BYTES = 18;

/** The administrator that the first start has created. */
export interface Administrator {
  readonly username: string;
  /** To be shown once; undefined if it came from the environment. */
  readonly password?: string;
}

/**
 * Creates the first administrator if there are no users. ADMIN_PASSWORD in the environment is the password until the first
 * sign-in, which requires a new password, as upstream does; otherwise the password is random, and may stay. Replicas that start together create
 * only one.
 *
 * @returns undefined if there are users already
 * @throws Refusal if ADMIN_USERNAME is no valid name
 */
export async function ensureAdministrator(
  plane: ControlPlane,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Administrator | undefined> {
  if (await hasUsers(plane)) return undefined;
  const username = env.ADMIN_USERNAME?.trim() || DEFAULT_NAME;
  checkUsername(username);
  const given = env.ADMIN_PASSWORD || undefined;
  const password = given ?? plane.ids.secret(PASSWORD_BYTES);
  const hash = await plane.passwords.hash(password);
  const isMade = await plane.store.transaction(ACCOUNTS, async (tx) => {
    const someone = await tx.db.selectFrom('users').select('id').limit(1).executeTakeFirst();
    if (someone !== undefined) return false;
    const draft = { username, email: '', name: '', role: 'admin', password_hash: hash } as const;
    await insertUser(tx, plane, {
      ...draft,
      initial_login: given === undefined ? 0 : 1,
      created_by: username,
    });
    return true;
  });
  if (!isMade) return undefined;
  return given === undefined ? { username, password } : { username };
}

async function hasUsers({ store }: ControlPlane): Promise<boolean> {
  return (await store.read.selectFrom('users').select('id').limit(1).executeTakeFirst()) !== undefined;
}
