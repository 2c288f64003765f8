import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { Client } from 'pg';
import { type Clock, systemClock } from '../../../kube/runtime/clock.ts';
import type { Dialect } from '../backend.ts';
import { openStore, type StoreLocation } from '../open.ts';
import type { Store } from '../store.ts';
import { postgresPrograms, sharedPostgres } from './postgres-server.ts';

/** A database of a test's own. */
export interface TestDatabase {
  readonly dialect: Dialect;
  /** A new, empty one; removed after the tests. */
  location(): Promise<StoreLocation>;
  /** An open store on a new one; closed after the tests. */
  store(clock?: Clock): Promise<Store>;
}

/** Declares the same tests for each database; those of one that is not installed are shown as skipped. */
export function describeOnDatabases(what: string, tests: (database: TestDatabase) => void): void {
  const missing = postgresPrograms() === undefined ? 'PostgreSQL is not installed' : false;
  describe(`${what}, on SQLite`, () => tests(testDatabase('sqlite', sqliteLocation)));
  describe(`${what}, on PostgreSQL`, { skip: missing }, () =>
    tests(testDatabase('postgres', postgresLocation)),
  );
}

/** A database of the same kind as that of the tests, or of the other one; undefined where that is not installed. Called while tests are declared. */
export function otherDatabase(dialect: Dialect, same: boolean): TestDatabase | undefined {
  const wanted = same ? dialect : dialect === 'sqlite' ? 'postgres' : 'sqlite';
  if (wanted === 'sqlite') return testDatabase('sqlite', sqliteLocation);
  return postgresPrograms() === undefined ? undefined : testDatabase('postgres', postgresLocation);
}

type Cleanup = (undo: () => Promise<void> | void) => void;

function testDatabase(dialect: Dialect, make: (cleanup: Cleanup) => Promise<StoreLocation>): TestDatabase {
  const undone: (() => Promise<void> | void)[] = [];
  // The last made first: a store is closed before its database goes.
  after(async () => {
    for (const undo of undone.reverse()) await undo();
  });
  const location = (): Promise<StoreLocation> => make((undo) => undone.push(undo));
  return {
    dialect,
    location,
    store: async (clock = systemClock) => {
      const store = await openStore(await location(), { clock });
      undone.push(() => store.close());
      return store;
    },
  };
}

async function sqliteLocation(cleanup: Cleanup): Promise<StoreLocation> {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-store-'));
  cleanup(() => rmSync(folder, { recursive: true, force: true }));
  return { folder };
}

let made = 0;

async function postgresLocation(cleanup: Cleanup): Promise<StoreLocation> {
  const { url } = await sharedPostgres();
  const name = `test_${process.pid}_${++made}`;
  await administer(url, `CREATE DATABASE ${name}`);
  cleanup(() => administer(url, `DROP DATABASE ${name} WITH (FORCE)`));
  return { url: url.replace('/postgres?', `/${name}?`) };
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
