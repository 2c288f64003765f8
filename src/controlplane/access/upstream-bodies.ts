/**
 * The JSON names of the structures that upstream's authentication server decodes bodies into. Go clients that use these types send all of
 * their fields, also those that the server does not read; so does upstream's page.
 */
const AUDIT = ['createdAt', 'updatedAt', 'createdBy', 'updatedBy', 'isRemoved'] as const;

/** Structure → its fields. A body may contain all of them; an operation reads those that it needs. */
export const UPSTREAM_BODIES = {
  user: [
    ...AUDIT,
    ...['userID', 'username', 'password', 'salt', 'email', 'name', 'role', 'deactivatedAt', 'isInitialLogin'],
  ],
  userDetails: ['ID', 'email', 'name'],
  userPassword: ['username', 'oldPassword', 'newPassword'],
  userState: ['username', 'isDeactivate'],
  newToken: ['user_id', 'name', 'days_until_expiration'],
  oldToken: ['token', 'userID'],
  newProject: ['projectName', 'userID', 'description', 'tags'],
  project: ['projectID', 'projectName'],
  member: ['projectID', 'userID', 'role'],
} as const;

/** Fields of these structures, and those that only this server's own clients send. */
const NAMES: readonly string[] = [...new Set([...Object.values(UPSTREAM_BODIES).flat(), 'cookie'])];

/**
 * Gives the fields of a body their names. Upstream decodes bodies by Go's `encoding/json`, which matches names without regard to case, so
 * that its clients may write them in any. Pure.
 */
export function fieldsOfBody(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return foldedNames(body, NAMES);
}

/**
 * The same object with those of the names that it has in another case: an exact name counts before a folded one, of several folded ones
 * the last. Other keys stay as they are. Pure.
 */
export function foldedNames(
  object: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const byFolded = new Map(names.map((name) => [name.toLowerCase(), name]));
  const entries = Object.entries(object).map(([key, value]) => {
    const name = byFolded.get(key.toLowerCase());
    return [name === undefined || (name !== key && Object.hasOwn(object, name)) ? key : name, value];
  });
  return Object.fromEntries(entries);
}
