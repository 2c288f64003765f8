import { type Context, memberOf } from '../../access/context.ts';
import { Refusal } from '../../access/refusal.ts';
import { keyMatches } from '../../access/secret-box.ts';
import { infraRow, infraRowOf } from '../infras.ts';
import { manifestOf } from './manifest.ts';
import { expiredLink, infraOfToken } from './manifest-token.ts';

/** The manifest, for members of the project. @throws Refusal */
export async function manifestForMember(infra: string, context: Context): Promise<string> {
  const row = await infraRowOf(context.plane.store.read, memberOf(context).project, infra);
  return manifestOf(row, context);
}

/** The manifest, for callers with the agent's key. A missing infrastructure and a wrong key give the same error. @throws Refusal */
export async function manifestForKey(
  project: string,
  infra: string,
  accessKey: string,
  context: Context,
): Promise<string> {
  const row = await infraRow(context.plane.store.read, infra);
  const right = keyMatches(accessKey, row?.access_key_hash ?? null);
  if (row === undefined || !right || row.project_id !== project) {
    throw new Refusal('unauthenticated', 'ACCESS_KEY is invalid');
  }
  return manifestOf(row, context);
}

/** The manifest, for callers with a token for it. @param key the token, with or without `.yaml` @throws Refusal */
export async function manifestForToken(key: string, context: Context): Promise<string> {
  const { infra, madeAt } = infraOfToken(key.replace(/\.ya?ml$/, ''), context.plane);
  const row = await infraRow(context.plane.store.read, infra);
  if (row === undefined) throw new Refusal('not-found', 'the infrastructure of this link was deleted');
  // Who has a link of before is not to get the new key by it.
  if (row.key_rotated_at !== null && madeAt <= row.key_rotated_at) throw expiredLink();
  return manifestOf(row, context);
}
