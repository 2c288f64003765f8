import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { Store } from '../store.ts';
import { openLimitedJournal } from '../testing/limited-journal.ts';
import { checkStore } from '../testing/self-check.ts';
import { DATABASE, openDatabase } from './database.ts';
import { DataFolderError, JournalError } from './errors.ts';
import { SqliteJournal } from './sqlite-journal.ts';

const TABLE = 'things';

function folder(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'turnsole-journal-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

interface Opened {
  readonly store: Store;
  readonly journal: SqliteJournal;
}

function open(directory: string, historyLimit = 1000): Opened {
  const journal = new SqliteJournal({ directory });
  return { journal, store: new Store({ journal, historyLimit }) };
}

function write(store: Store, name: string, value: unknown = 0): number {
  const object = { metadata: { name, namespace: 'ns' }, value };
  const present = store.get(TABLE, 'ns', name);
  return (present === undefined ? store.create(TABLE, object) : store.update(TABLE, present, object))
    .revision;
}

function remove(store: Store, name: string): void {
  const present = store.get(TABLE, 'ns', name);
  assert.ok(present);
  store.delete(TABLE, present, structuredClone(present.object));
}

function problem(code: DataFolderError['code'], words: RegExp): (error: unknown) => boolean {
  return (error) => error instanceof DataFolderError && error.code === code && words.test(error.message);
}

/** Objects as plain values, and the changes that a watch from `after` gets. */
function content(store: Store, after = store.history(TABLE).compacted): unknown {
  const changes: unknown[] = [];
  store.watch({
    table: TABLE,
    after,
    onChange: ({ type, version }) => changes.push([type, version.object]),
  })();
  return {
    revision: store.revision,
    objects: store.list(TABLE).versions.map(({ object }) => object),
    changes,
  };
}

describe('SqliteJournal', () => {
  it('gives everything back: objects, revision and history', async (t) => {
    const directory = folder(t);
    const first = open(directory);
    write(first.store, 'a');
    write(first.store, 'b');
    write(first.store, 'a', 'grüße ☀');
    remove(first.store, 'b');
    await first.store.flushed();
    const before = content(first.store);
    await first.journal.close();
    const second = open(directory);
    assert.deepEqual(content(second.store), before);
    assert.deepEqual(checkStore(second.store), []);
    assert.equal(write(second.store, 'c'), 6);
    await second.journal.close();
  });

  it('shows watchers a change only when it is durable, and observers at once', async (t) => {
    const { store, journal } = open(folder(t));
    const seen: string[] = [];
    store.observe(TABLE, ({ revision }) => seen.push(`observer ${revision}`));
    store.watch({
      table: TABLE,
      after: store.revision,
      onChange: ({ revision }) => seen.push(`watcher ${revision}`),
    });
    write(store, 'a');
    write(store, 'b');
    assert.equal(store.durableRevision, 1);
    assert.deepEqual(store.listDurable(TABLE).versions, []);
    assert.deepEqual(seen, ['observer 2', 'observer 3']);
    await store.flushed();
    assert.equal(store.durableRevision, 3);
    assert.deepEqual(seen, ['observer 2', 'observer 3', 'watcher 2', 'watcher 3']);
    assert.equal(store.flushed(), undefined);
    await journal.close();
  });

  it('forgets on disk what the store forgets', async (t) => {
    const directory = folder(t);
    const first = open(directory, 8);
    for (let round = 0; round < 200; round += 1) {
      write(first.store, `n${round % 5}`, round);
      if (round % 7 === 0) await first.store.flushed();
    }
    remove(first.store, 'n3');
    await first.store.flushed();
    first.store.compact();
    const { compacted } = first.store.history(TABLE);
    await first.journal.close();
    const database = new DatabaseSync(join(directory, DATABASE));
    assert.equal(database.prepare('SELECT count(*) AS n FROM changes').get()?.n, 4);
    database.close();
    const second = open(directory, 8);
    assert.equal(second.store.history(TABLE).compacted, compacted);
    assert.equal(second.store.revision, first.store.revision);
    assert.deepEqual(content(second.store, compacted), content(first.store, compacted));
    await second.journal.close();
  });

  it('keeps its files for the owner only', async (t) => {
    const directory = folder(t);
    const { journal, store } = open(directory);
    journal.holdFor('/run');
    write(store, 'a');
    await store.flushed();
    assert.equal(statSync(directory).mode & 0o777, 0o700);
    for (const name of readdirSync(directory)) {
      assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name);
    }
    assert.equal(journal.previousRunDir, '/run');
    await journal.close();
  });

  it('undoes what the disk has no room for, refuses it, and goes on when there is room again', async (t) => {
    const directory = folder(t);
    const { journal, limitPages } = openLimitedJournal(directory);
    const store = new Store({ journal, historyLimit: 1000 });
    const observed: string[] = [];
    store.observe(TABLE, ({ type, version }) => observed.push(`${type} ${version.name}`));
    write(store, 'a', 1);
    await store.flushed();
    limitPages(1);
    write(store, 'a', 2);
    write(store, 'b', 'x'.repeat(100_000));
    remove(store, 'a');
    const refusal = (error: unknown) =>
      error instanceof JournalError && error.code === 'full' && /make room/.test(error.message);
    await assert.rejects(store.flushed() ?? Promise.resolve(), refusal);
    assert.equal(store.revision, 2);
    assert.deepEqual(store.get(TABLE, 'ns', 'a')?.object, {
      metadata: { name: 'a', namespace: 'ns', resourceVersion: '2' },
      value: 1,
    });
    assert.equal(store.get(TABLE, 'ns', 'b'), undefined);
    assert.deepEqual(checkStore(store), []);
    assert.deepEqual(observed.slice(-3), ['ADDED a', 'DELETED b', 'MODIFIED a']);
    limitPages(100_000);
    assert.equal(write(store, 'b'), 3);
    await store.flushed();
    await journal.close();
    const again = open(directory);
    assert.deepEqual(content(again.store), content(store));
    await again.journal.close();
  });

  it('closes when what it was to forget cannot be written; that is forgotten later', async (t) => {
    const directory = folder(t);
    const database = openDatabase(directory);
    const journal = new SqliteJournal({ directory, database });
    const store = new Store({ journal, historyLimit: 1000 });
    write(store, 'a', 1);
    write(store, 'a', 2);
    await store.flushed();
    database.exec('PRAGMA query_only = ON');
    store.compact();
    journal.setSetting('port', '1');
    await journal.close();
    const again = open(directory);
    assert.deepEqual(content(again.store, 3), content(store));
    assert.deepEqual(checkStore(again.store), []);
    again.store.compact();
    await again.journal.close();
    const kept = new DatabaseSync(join(directory, DATABASE));
    assert.equal(kept.prepare('SELECT count(*) AS n FROM changes').get()?.n, 1);
    kept.close();
  });
});

describe('a data folder that cannot be used', () => {
  it('is refused while another cluster has it', async (t) => {
    const directory = folder(t);
    const { journal } = open(directory);
    journal.holdFor(undefined);
    const words = new RegExp(
      `cannot use ${directory}: the process ${process.pid} uses it; stop that cluster`,
    );
    assert.throws(() => open(directory), problem('in-use', words));
    await journal.close();
    await open(directory).journal.close();
  });

  const damages: readonly [name: string, damage: (path: string) => void, words: RegExp][] = [
    ['an empty database', (path) => truncateSync(path, 0), /turnsole\.db: it is empty; restore the folder/],
    [
      'a database that is gone',
      (path) => rmSync(path),
      /turnsole\.db: it is missing, but other files of a cluster/,
    ],
    [
      'another header',
      (path) => overwrite(path, 0, 'no database any more'),
      /it is damaged \(file is not a database\)/,
    ],
    ['half of the database', (path) => truncateSync(path, 4096), /turnsole\.db: it is/],
    [
      'a bit that fell over in an object',
      (path) => replaceIn(path, 'needle-7', 'needle-8'),
      /the change \d+ of things in it is damaged/,
    ],
  ];
  for (const [name, damage, words] of damages) {
    it(`is refused with ${name}`, async (t) => {
      const directory = folder(t);
      const { store, journal } = open(directory);
      for (let index = 0; index < 20; index += 1)
        write(store, `n${index}`, `needle-${index} ${'x'.repeat(2000)}`);
      await store.flushed();
      await journal.close();
      writeFileSync(join(directory, 'admin.token'), 'secret');
      const path = join(directory, DATABASE);
      damage(path);
      assert.throws(() => open(directory), problem('damaged', words));
    });
  }

  it('is refused when changes are missing', async (t) => {
    const directory = folder(t);
    const { store, journal } = open(directory);
    for (const name of ['a', 'b', 'c']) write(store, name);
    await store.flushed();
    await journal.close();
    const database = new DatabaseSync(join(directory, DATABASE));
    database.exec('DELETE FROM changes WHERE revision = 3');
    database.close();
    assert.throws(
      () => open(directory),
      problem('damaged', /3 changes were written to it, and not the same 2 are in it/),
    );
  });

  it('is refused when it is of a newer version or of another program', async (t) => {
    const directory = folder(t);
    await open(directory).journal.close();
    const set = (sql: string): void => {
      const database = new DatabaseSync(join(directory, DATABASE));
      database.exec(sql);
      database.close();
    };
    set('PRAGMA user_version = 99');
    assert.throws(
      () => open(directory),
      problem('newer', /has format 99 and this version of Turnsole reads format 1/),
    );
    set('PRAGMA user_version = 1; PRAGMA application_id = 7');
    assert.throws(() => open(directory), problem('damaged', /a database of another program/));
  });

  it('is refused when it holds something else', (t) => {
    const directory = folder(t);
    writeFileSync(join(directory, 'photo.jpg'), '');
    assert.throws(() => open(directory), problem('not-a-cluster', /it is not empty \(photo\.jpg\)/));
    assert.throws(
      () => open(join(directory, 'photo.jpg')),
      problem('not-writable', /cannot keep a cluster in/),
    );
    assert.deepEqual(readdirSync(directory), ['photo.jpg']);
  });

  it('is refused when it is read-only', (t) => {
    if (process.getuid?.() === 0) return t.skip('root may write to read-only folders');
    const directory = folder(t);
    chmodSync(directory, 0o500);
    assert.throws(() => open(directory), problem('not-writable', /choose a folder that you may write to/));
  });
});

function overwrite(path: string, at: number, text: string): void {
  const bytes = readFileSync(path);
  bytes.write(text, at, 'latin1');
  writeFileSync(path, bytes);
}

function replaceIn(path: string, from: string, to: string): void {
  const bytes = readFileSync(path);
  overwrite(path, bytes.indexOf(from), to);
}
