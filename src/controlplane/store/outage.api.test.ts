import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { StoreUnavailableError } from './errors.ts';
import { openStore } from './open.ts';
import { ACCOUNTS, type Store } from './store.ts';
import { postgresPrograms, startPostgres } from './testing/postgres-server.ts';

function write(store: Store, key: string): Promise<unknown> {
  return store.transaction(ACCOUNTS, async (tx) => {
    await tx.db.insertInto('settings').values({ key, value: '' }).execute();
    tx.wake('news');
  });
}

async function keys(store: Store): Promise<string[]> {
  const rows = await store.read.selectFrom('settings').select('key').orderBy('key').execute();
  return rows.map(({ key }) => key);
}

describe('PostgreSQL goes away and comes back', { skip: postgresPrograms() === undefined }, () => {
  test('what was acknowledged stays, what cannot be written is refused, and listeners hear again', async () => {
    let server = await startPostgres();
    after(() => server.stop());
    const events: string[] = [];
    const { promise: listening, resolve: resolveListening } = Promise.withResolvers<void>();
    const { promise: again, resolve: resolveAgain } = Promise.withResolvers<void>();
    const store = await openStore(
      { url: server.url },
      {
        clock: systemClock,
        onListening: (event) => {
          events.push(event);
          if (event === 'listening') (events.includes('lost') ? resolveAgain : resolveListening)();
        },
      },
    );
    after(() => store.close());
    await listening;
    await write(store, 'before');

    await server.stop();
    await assert.rejects(write(store, 'meanwhile'), StoreUnavailableError);
    assert.equal(await store.healthy(), false);

    // Settings as before: what was not synced is on the disk by its orderly end.
    server = await startPostgres({}, server.folder);
    const late = setTimeout(
      () => resolveAgain(Promise.reject(new Error('nobody listens again'))),
      PATIENCE_MS,
    );
    await again;
    clearTimeout(late);
    const { promise: woken, resolve: wake } = Promise.withResolvers<void>();
    store.wakeUps.on('news', wake);
    await write(store, 'afterwards');
    await woken;
    assert.deepEqual(await keys(store), ['afterwards', 'before']);
  });
});

describe('SQLite', () => {
  test('a folder that cannot be written is refused by its name', {
    skip: process.getuid?.() === 0,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnsole-store-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o500);
    await assert.rejects(openStore({ folder }, { clock: systemClock }), (error: Error) => {
      assert.ok(error instanceof StoreUnavailableError);
      assert.match(error.message, new RegExp(`cannot open ${folder}/server.db`));
      return true;
    });
  });

  test('a file that is no database is refused by its name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnsole-store-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const { writeFileSync } = await import('node:fs');
    writeFileSync(join(folder, 'server.db'), 'not a database, but long enough to look like one'.repeat(100));
    await assert.rejects(
      openStore({ folder }, { clock: systemClock }),
      /cannot open .*server\.db: file is not a database/,
    );
  });

  test('a disk that is full refuses writes, keeps what it has, and takes writes again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'turnsole-store-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    const store = await openStore({ folder }, { clock: systemClock });
    after(() => store.close());
    await write(store, 'before');
    const pages = (most: number) =>
      store.transaction(ACCOUNTS, ({ db }) =>
        db.executeQuery({ sql: `PRAGMA max_page_count = ${most}`, parameters: [] } as never),
      );
    // SQLite answers SQLITE_FULL at this limit as it does on a full disk.
    await pages(1);
    const large = 'x'.repeat(1024 * 1024);
    await assert.rejects(
      store.transaction(ACCOUNTS, (tx) =>
        tx.db.insertInto('settings').values({ key: 'large', value: large }).execute(),
      ),
      StoreUnavailableError,
    );
    await pages(1_000_000);
    await write(store, 'afterwards');
    assert.deepEqual(await keys(store), ['afterwards', 'before']);
  });
});
