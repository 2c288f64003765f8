import { secretKey } from '@turnsole/workflows/artifacts/secrets';
import type { ReadSecret } from '../store.ts';

/** What a location says of its store. */
export type Fields = Readonly<Record<string, unknown>>;

/** The value of the Secret that a field names; undefined when it names none. */
export async function secretOf(
  fields: Fields,
  field: string,
  readSecret: ReadSecret,
): Promise<string | undefined> {
  const reference = secretKey(fields[field]);
  return reference && (await readSecret(reference));
}

/** The words of `Authorization` for the user and the password that fields name; undefined when they name neither. */
export async function basicOf(fields: Fields, readSecret: ReadSecret): Promise<string | undefined> {
  const user = await secretOf(fields, 'usernameSecret', readSecret);
  const password = await secretOf(fields, 'passwordSecret', readSecret);
  if (user === undefined && password === undefined) return undefined;
  return `Basic ${Buffer.from(`${user ?? ''}:${password ?? ''}`).toString('base64')}`;
}
