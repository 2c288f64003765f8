import { type People, userDetails } from '../access/lists.ts';
import { Refusal } from '../access/refusal.ts';
import type { UserRow } from '../store/tables/users.ts';
import type { Reader } from '../store/transaction.ts';
import { nameKey } from './policy.ts';

/** A user by name, case-insensitively. */
export function userNamed(db: Reader, username: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('name_key', '=', nameKey(username)).executeTakeFirst();
}

export function userById(db: Reader, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The given user. @throws Refusal in upstream's words if there is none */
export function knownUser(row: UserRow | undefined): UserRow {
  if (row !== undefined) return row;
  throw new Refusal('invalid', 'user does not exist', { error: 'user does not exist' });
}

/** A user as clients see it, without the password's hash. */
export function asUser(row: UserRow, person: People = userDetails): object {
  return {
    userID: row.id,
    username: row.username,
    email: row.email,
    name: row.name,
    role: row.role,
    isInitialLogin: row.initial_login === 1,
    ...(row.deactivated_at !== null && { deactivatedAt: row.deactivated_at }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdBy: person(row.created_by),
    updatedBy: person(row.updated_by),
    isRemoved: false,
  };
}
