import type { Clock } from '../../kube/runtime/clock.ts';
import type { Backend } from './backend.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { type Store, storeOn } from './store.ts';

/** Which database. */
export type StoreLocation =
  /** A folder of this server alone. */
  | { readonly folder: string }
  /** `postgres://…`, shared by replicas. */
  | { readonly url: string };

/** How a store is opened. */
interface StoreOptions {
  readonly clock: Clock;
  /** Told when the connection to PostgreSQL that hears of other replicas' commits breaks and is back. */
  readonly onListening?: (event: 'listening' | 'lost', error?: unknown) => void;
}

/**
 * Opens the store and brings its tables to this version.
 *
 * @throws StoreUnavailableError when it cannot be reached; MigrationError when it was written by a newer, incompatible version
 */
export async function openStore(location: StoreLocation, options: StoreOptions): Promise<Store> {
  const backend = await openBackend(location, options);
  try {
    await migrate(backend, MIGRATIONS, options.clock.now());
  } catch (error) {
    await backend.close();
    throw error;
  }
  return storeOn(backend, () => options.clock.now());
}

/** A database without looking at its tables. Each one's library is loaded only by those who use it. */
export async function openBackend(
  location: StoreLocation,
  options: Partial<StoreOptions> = {},
): Promise<Backend> {
  if ('folder' in location) {
    const { openSqlite } = await import('./sqlite/backend.ts');
    return openSqlite(location.folder);
  }
  const { openPostgres } = await import('./postgres/backend.ts');
  return openPostgres({ url: location.url, ...options });
}
