import { UsageError } from '../../process/usage-error.ts';
import type { Ids } from '../access/ids.ts';
import type { SecretBox } from '../access/secret-box.ts';
import { ACCOUNTS, type Store } from '../store/store.ts';

const TOKEN_KEY = 'token key';
/** As long as the hash of HS512. */
const TOKEN_KEY_BYTES = 64;

/**
 * The key that signs tokens, the same in all replicas; the first start generates it.
 *
 * @throws UsageError if the database's secrets were sealed by another key
 */
export async function loadTokenKey(store: Store, secrets: SecretBox, ids: Ids): Promise<Uint8Array> {
  const sealed = await store.transaction(ACCOUNTS, async ({ db }) => {
    const row = await db
      .selectFrom('settings')
      .select('value')
      .where('key', '=', TOKEN_KEY)
      .executeTakeFirst();
    if (row !== undefined) return row.value;
    const value = secrets.seal(TOKEN_KEY, ids.secret(TOKEN_KEY_BYTES));
    await db.insertInto('settings').values({ key: TOKEN_KEY, value }).execute();
    return value;
  });
  try {
    return Buffer.from(secrets.open(TOKEN_KEY, sealed), 'base64url');
  } catch {
    throw new UsageError(
      'this server has another key for secrets than the one that its database was written with: give the same TURNSOLE_SECRET_KEY, or the data folder with secret.key',
    );
  }
}
