import type { Clock } from '@turnsole/kube/base/clock';
import type { Backend } from './backend.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { type Store, storeOn } from './store.ts';

/** Location of the database. */
export type StoreLocation =
  /** A folder for this server only. */
  | { readonly folder: string }
  /** `postgres://…`, shared by replicas. */
  | { readonly url: string };

/** Options for opening a store. */
interface StoreOptions {
  readonly clock: Clock;
  /** Called when the connection for notifications from PostgreSQL breaks and is back. */
  readonly onListening?: (event: 'listening' | 'lost', error?: unknown) => void;
}

/**
 * Opens the store and migrates its tables to this version.
 *
 * @throws StoreUnavailableError if it cannot be reached; MigrationError if it was written by a newer, incompatible version
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

/** Opens a database without reading its tables. Loads only the library of that database. */
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
