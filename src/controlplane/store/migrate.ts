import { messageOf } from '@turnsole/kube/text/error-message';
import type { Kysely } from 'kysely';
import type { Backend, Dialect, WriteConnection } from './backend.ts';
import { classifyFailure, StoreUnavailableError } from './errors.ts';
import type { Tables } from './tables/index.ts';

/** A step of the schema, forward only. */
export interface Migration {
  /** 1, 2, 3 … */
  readonly version: number;
  readonly name: string;
  /** True if older programs can no longer work with the tables. */
  readonly breaking: boolean;
  /** Changes tables and rows, in the transaction that also records the version. */
  up(db: Kysely<Tables>, dialect: Dialect): Promise<void>;
}

/** The database cannot be migrated to this program's version. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** An applied version. */
interface AppliedVersion {
  readonly version: number;
  readonly breaking: 0 | 1;
}

interface WithVersions extends Tables {
  readonly schema_versions: AppliedVersion & { readonly name: string; readonly applied_at: number };
}

const SCOPE = 'schema';

/**
 * The remaining steps. Pure.
 *
 * @throws MigrationError if the database is newer than this program, and older programs cannot use it
 */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedVersion[],
): readonly Migration[] {
  const newest = known.at(-1)?.version ?? 0;
  const foreign = applied.find(({ version, breaking }) => version > newest && breaking === 1);
  if (foreign !== undefined) {
    throw new MigrationError(
      `the database has version ${foreign.version} of the tables, which this program (version ${newest}) cannot use: start the newer program, or restore a backup from before`,
    );
  }
  const there = new Set(applied.map(({ version }) => version));
  return known.filter(({ version }) => !there.has(version));
}

/** Migrates the tables to the newest version, each step in a transaction of its own; replicas that start together take turns. */
export async function migrate(
  backend: Backend,
  migrations: readonly Migration[],
  now: number,
): Promise<void> {
  try {
    let more = true;
    while (more) more = await backend.connection((connection) => step(backend, connection, migrations, now));
  } catch (error) {
    if (classifyFailure(error) !== 'unavailable' || error instanceof StoreUnavailableError) throw error;
    throw new StoreUnavailableError(`cannot use the database: ${messageOf(error)}`, { cause: error });
  }
}

/** @returns whether there was a step to do */
async function step(
  backend: Backend,
  connection: WriteConnection,
  migrations: readonly Migration[],
  now: number,
): Promise<boolean> {
  await connection.statement(backend.begin);
  try {
    await backend.enter(connection, SCOPE);
    const db = connection.db as unknown as Kysely<WithVersions>;
    await connection.statement(
      'CREATE TABLE IF NOT EXISTS schema_versions (version INTEGER PRIMARY KEY, name TEXT NOT NULL, breaking INTEGER NOT NULL, applied_at BIGINT NOT NULL)',
    );
    const applied = await db.selectFrom('schema_versions').select(['version', 'breaking']).execute();
    const [next] = pendingMigrations(migrations, applied);
    if (next !== undefined) {
      await next.up(connection.db, backend.dialect);
      const { version, name, breaking } = next;
      await db
        .insertInto('schema_versions')
        .values({ version, name, breaking: breaking ? 1 : 0, applied_at: now })
        .execute();
    }
    await connection.statement('COMMIT');
    return next !== undefined;
  } catch (error) {
    await connection.statement('ROLLBACK').catch(() => {});
    throw error;
  }
}
