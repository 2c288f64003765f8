import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { type Clock, systemClock } from '@turnsole/kube/base/clock';
import { Client } from 'pg';
import { variants } from '../../../../test/support/variants.ts';
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

const NAMES: Readonly<Record<Dialect, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

/** Declares the same tests for each database, as far as variants are wanted; those of one that is not installed are shown as skipped. */
export function describeOnDatabases(what: string, tests: (database: TestDatabase) => void): void {
  describeOn(variants(['sqlite', 'postgres']), what, tests);
}

/** The same for tests of what differs between databases: each is always wanted. */
export function describeOnEachDatabase(what: string, tests: (database: TestDatabase) => void): void {
  describeOn(['sqlite', 'postgres'], what, tests);
}

function describeOn(
  dialects: readonly Dialect[],
  what: string,
  tests: (database: TestDatabase) => void,
): void {
  for (const dialect of dialects) {
    const isMissing = dialect === 'postgres' && postgresPrograms() === undefined;
    const skip = isMissing ? 'PostgreSQL is not installed' : false;
    describe(`${what}, on ${NAMES[dialect]}`, { skip }, () => tests(testDatabase(dialect)));
  }
}

/** A database of the same kind as that of the tests, or of the other one; undefined where that is not installed. Called while tests are declared. */
export function otherDatabase(dialect: Dialect, same: boolean): TestDatabase | undefined {
  const wanted = same ? dialect : dialect === 'sqlite' ? 'postgres' : 'sqlite';
  return wanted === 'postgres' && postgresPrograms() === undefined ? undefined : testDatabase(wanted);
}

type Cleanup = (undo: () => Promise<void> | void) => void;

/** Ways to a new database. */
interface Maker {
  readonly empty: (cleanup: Cleanup) => Promise<StoreLocation>;
  /** As its first store would make it. */
  readonly migrated: (cleanup: Cleanup) => Promise<StoreLocation>;
}

const MAKERS: Readonly<Record<Dialect, Maker>> = {
  sqlite: {
    empty: async (cleanup) => sqliteFolder(cleanup),
    migrated: async (cleanup) => {
      const location = sqliteFolder(cleanup);
      cpSync((await sqliteTemplate()).folder, location.folder, { recursive: true });
      return location;
    },
  },
  postgres: {
    empty: (cleanup) => postgresDatabase(cleanup),
    migrated: async (cleanup) => postgresDatabase(cleanup, await postgresTemplate()),
  },
};

function testDatabase(dialect: Dialect): TestDatabase {
  const { empty, migrated } = MAKERS[dialect];
  const undone: (() => Promise<void> | void)[] = [];
  // The last made first: a store is closed before its database goes.
  after(async () => {
    for (const undo of undone.reverse()) await undo();
  });
  const cleanup: Cleanup = (undo) => undone.push(undo);
  return {
    dialect,
    location: () => empty(cleanup),
    store: async (clock = systemClock) => {
      const store = await openStore(await migrated(cleanup), { clock });
      undone.push(() => store.close());
      return store;
    },
  };
}

function sqliteFolder(cleanup: Cleanup): { readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'turnsole-store-'));
  cleanup(() => rmSync(folder, { recursive: true, force: true }));
  return { folder };
}

/** Names the databases of this process. Its number would not do: the system gives it to a later process while the server still runs. */
const OWN = randomUUID().slice(0, 8);
let made = 0;

async function postgresDatabase(cleanup: Cleanup, source?: string): Promise<StoreLocation> {
  const { url } = await sharedPostgres();
  const name = `test_${OWN}_${++made}`;
  await administer(url, `CREATE DATABASE ${name}${source === undefined ? '' : ` TEMPLATE ${source}`}`);
  cleanup(() => administer(url, `DROP DATABASE ${name} WITH (FORCE)`));
  return { url: urlOf(url, name) };
}

/**
 * A migrated database, which the stores of this process's tests begin as copies of: migrations, which have tests of their own, would take most
 * of the time of a store.
 */
const sqliteTemplate = once(async () => {
  const location = sqliteFolder((undo) => process.once('exit', undo));
  await (await openStore(location, { clock: systemClock })).close();
  return location;
});

/** The same of PostgreSQL, by its name; it goes with the server. No client may be connected to it while it is copied. */
const postgresTemplate = once(async () => {
  const { url } = await sharedPostgres();
  const name = `template_${OWN}`;
  await administer(url, `CREATE DATABASE ${name}`);
  await (await openStore({ url: urlOf(url, name) }, { clock: systemClock })).close();
  return name;
});

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function urlOf(server: string, database: string): string {
  return server.replace('/postgres?', `/${database}?`);
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
