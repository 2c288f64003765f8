import type { Clock } from '@turnsole/kube/base/clock';
import type { Logger } from '@turnsole/kube/base/log';
import type { ControlPlane } from '../access/context.ts';
import type { Ids } from '../access/ids.ts';
import { Passwords } from '../access/passwords.ts';
import { secretBox } from '../access/secret-box.ts';
import type { ServerSettings } from '../access/server-settings.ts';
import { tokensBy } from '../access/tokens.ts';
import { openStore, type StoreLocation } from '../store/open.ts';
import { loadTokenKey } from './own-keys.ts';

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
