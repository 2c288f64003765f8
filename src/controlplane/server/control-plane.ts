import type { Clock } from '@turnsole/kube/base/clock';
import type { Logger } from '@turnsole/kube/base/log';
import { UsageError } from '../../process/usage-error.ts';
import type { ControlPlane } from '../access/context.ts';
import type { Ids } from '../access/ids.ts';
import { Passwords } from '../access/passwords.ts';
import { type SecretBox, secretBox } from '../access/secret-box.ts';
import type { ServerSettings } from '../access/server-settings.ts';
import { tokensBy } from '../access/tokens.ts';
import { openStore, type StoreLocation } from '../store/open.ts';
import { ACCOUNTS, type Store } from '../store/store.ts';

/** Options of a control plane. */
interface PlaneOptions {
  readonly location: StoreLocation;
  readonly settings: ServerSettings;
  /** For secrets in the database, at least 32 bytes. */
  readonly secretKey: Uint8Array;
  /** @default with a cost that protects hashes for years */
  readonly passwords?: Passwords;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/** Opens the store and the keys. The caller closes the store. @throws StoreUnavailableError, MigrationError, UsageError */
export async function openControlPlane(options: PlaneOptions): Promise<ControlPlane> {
  const { clock, ids, logger, settings, signal, passwords = new Passwords() } = options;
  const store = await openStore(options.location, {
    clock,
    onListening: (event, error) => {
      if (event === 'lost')
        logger.warn({ err: error }, 'lost the connection that hears of other replicas; trying again');
      else logger.info('hears of other replicas');
    },
  });
  try {
    const secrets = secretBox(options.secretKey);
    const tokens = tokensBy(await loadTokenKey(store, secrets, ids), clock);
    return { store, clock, ids, logger, secrets, tokens, passwords, settings, signal };
  } catch (error) {
    await store.close();
    throw error;
  }
}

const TOKEN_KEY = 'token key';
/** As long as the hash of HS512. */
const TOKEN_KEY_BYTES = 64;

/**
 * The key that signs tokens, the same in all replicas; the first start generates it.
 *
 * @throws UsageError if the database's secrets were sealed by another key
 */
async function loadTokenKey(store: Store, secrets: SecretBox, ids: Ids): Promise<Uint8Array> {
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
