import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { type Migration, MigrationError, migrate, pendingMigrations } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { openStore } from './open.ts';
import { openPostgres } from './postgres/backend.ts';
import { openSqlite } from './sqlite/backend.ts';
import { describeOnEachDatabase } from './testing/databases.ts';

const step = (version: number, breaking = false): Migration => ({
  version,
  name: `${version}`,
  breaking,
  up: async () => {},
});
const versions = (steps: readonly Migration[]): number[] => steps.map(({ version }) => version);

test('versions count from 1 without gaps, and each has its name once', () => {
  assert.deepEqual(
    versions(MIGRATIONS),
    MIGRATIONS.map((_, index) => index + 1),
  );
  assert.equal(new Set(MIGRATIONS.map(({ name }) => name)).size, MIGRATIONS.length);
});

test('what is pending: all of an empty database, what is missing of an older one, nothing of a newer one', () => {
  const known = [step(1), step(2), step(3)];
  assert.deepEqual(versions(pendingMigrations(known, [])), [1, 2, 3]);
  assert.deepEqual(versions(pendingMigrations(known, [{ version: 1, breaking: 1 }])), [2, 3]);
  const newer = [1, 2, 3, 4].map((version) => ({ version, breaking: 0 as const }));
  assert.deepEqual(pendingMigrations(known, newer), []);
  assert.throws(() => pendingMigrations(known, [{ version: 4, breaking: 1 }]), MigrationError);
});

describeOnEachDatabase('migrations', (database) => {
  test('servers that start together on an empty database make its tables once', async () => {
    const location = await database.location();
    // One process has SQLite's file; replicas are PostgreSQL's matter.
    const together = database.dialect === 'sqlite' ? 1 : 5;
    const stores = await Promise.all(
      Array.from({ length: together }, () => openStore(location, { clock: systemClock })),
    );
    const [store] = stores;
    assert.equal(await store?.healthy(), true);
    await Promise.all(stores.map((one) => one.close()));
  });

  test('a step that fails leaves nothing of itself, and those before it', async () => {
    const location = await database.location();
    const backend = 'folder' in location ? await openSqlite(location.folder) : await openPostgres(location);
    const failing: Migration = {
      ...{ version: 2, name: 'fails', breaking: false },
      up: async (db) => {
        await db.schema.createTable('half').addColumn('id', 'integer').execute();
        throw new Error('half way');
      },
    };
    const first: Migration = {
      ...{ version: 1, name: 'first', breaking: false },
      up: async (db) => void (await db.schema.createTable('settings').addColumn('key', 'text').execute()),
    };

    await assert.rejects(migrate(backend, [first, failing], 0), /half way/);
    await migrate(backend, [first], 0);
    const tables = (await backend.read.introspection.getTables()).map(({ name }) => name);
    assert.deepEqual(tables.filter((name) => !name.startsWith('sqlite_')).sort(), [
      'schema_versions',
      'settings',
    ]);
    await backend.close();
  });
});
