import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { systemClock } from '@turnsole/kube/base/clock';
import { sql } from 'kysely';
import { restoreBackup } from '../../src/controlplane/store/backup/restore-backup.ts';
import { writeBackup } from '../../src/controlplane/store/backup/write-backup.ts';
import { openStore } from '../../src/controlplane/store/open.ts';
import { projectScope } from '../../src/controlplane/store/store.ts';
import { otherDatabase } from '../../src/controlplane/store/testing/databases.ts';

const MARK = 'kept-from-attackers';

/** Lines of a good backup, changed. */
type Change = (lines: readonly string[]) => readonly string[];

/** The line after the head of a table. */
const withTable =
  (head: object, ...rows: readonly unknown[]): Change =>
  (lines) =>
    lines.toSpliced(1, 0, JSON.stringify(head), ...rows.map((row) => JSON.stringify(row)));
const withHead =
  (change: (head: object) => unknown): Change =>
  ([head = '', ...rest]) => [JSON.stringify(change(JSON.parse(head))), ...rest];

const CHANGES: Readonly<Record<string, Change>> = {
  'a table that is the schema of the database': withTable({ table: 'sqlite_master', columns: ['type'] }, [
    'x',
  ]),
  'a table of the versions': withTable({ table: 'schema_versions', columns: ['version'] }, [99]),
  'a table that is none': withTable({ table: 'nothing', columns: ['a'] }, [1]),
  'a table with a statement in its name': withTable(
    { table: 'changes"; drop table users; --', columns: ['a'] },
    [1],
  ),
  'a column with a statement in its name': withTable(
    { table: 'users', columns: ['id") values (1); drop table projects; --'] },
    [1],
  ),
  'a column twice': withTable({ table: 'users', columns: ['id', 'id'] }, [1, 2]),
  'a column __proto__': withTable({ table: 'users', columns: ['__proto__'] }, [1]),
  'no columns': withTable({ table: 'users' }, [1]),
  'columns that are no list': withTable({ table: 'users', columns: 'id' }, [1]),
  'a table that is a number': withTable({ table: 1, columns: ['id'] }, [1]),
  'a counter with a statement': withTable({
    table: 'changes',
    columns: ['seq'],
    counter: '1); drop table users; --',
  }),
  'a counter that is negative': withTable({ table: 'changes', columns: ['seq'], counter: -5 }),
  'a row before any table': (lines) => lines.toSpliced(1, 0, '[1]'),
  'a row that is longer than its table': withTable({ table: 'users', columns: ['id'] }, [1, 2]),
  'a value that is an object': withTable({ table: 'users', columns: ['id'] }, [{ a: 1 }]),
  'a value that is a list': withTable({ table: 'users', columns: ['id'] }, [[1]]),
  'bytes that are a number': withTable({ table: 'users', columns: ['id'] }, [{ base64: 5 }]),
  'bytes that are a length': withTable({ table: 'users', columns: ['id'] }, [{ base64: { length: 1e9 } }]),
  'a value that is a truth': withTable({ table: 'users', columns: ['id'] }, [true]),
  'a line that is a text': (lines) => lines.toSpliced(1, 0, '"x"'),
  'a line that is null': (lines) => lines.toSpliced(1, 0, 'null'),
  'a line that is no JSON': (lines) => lines.toSpliced(1, 0, '{'),
  'a line of a hundred megabytes': (lines) => lines.toSpliced(1, 0, `"${'x'.repeat(100_000_000)}"`),
  'an end that says too much': (lines) => [...lines.slice(0, -1), '{"end":{"rows":99999}}'],
  'an end that says nothing': (lines) => [...lines.slice(0, -1), '{"end":null}'],
  'an end at once': ([head = '']) => [head, '{"end":{"rows":1}}'],
  'a version of the future': withHead((head) => ({ ...head, versions: [1, 99_999] })),
  'versions that are a number': withHead((head) => ({ ...head, versions: 7 })),
  'versions that are texts': withHead((head) => ({ ...head, versions: ['1; drop table users'] })),
  'another format': withHead((head) => ({ ...head, format: 'tar' })),
  'a head that is null': withHead(() => null),
  'a head that is a list': withHead(() => []),
};

test('backups that somebody has changed', async (t) => {
  const database = otherDatabase('sqlite', true);
  assert.ok(database !== undefined);
  const from = await database.location();
  const store = await openStore(from, { clock: systemClock });
  await store.transaction(projectScope('p'), (tx) => tx.change({ project: 'p', kind: 'run', id: MARK }));
  const target = new PassThrough();
  const [bytes] = await Promise.all([buffer(target), writeBackup(from, target, 1)]);
  await store.close();
  const lines = gunzipSync(bytes).toString('utf8').trimEnd().split('\n');
  for (const [what, change] of Object.entries(CHANGES)) {
    await t.test(`one with ${what} is refused, and leaves nothing`, async () => {
      const to = await database.location();
      const used = process.memoryUsage().rss;
      const changed = gzipSync(`${change(lines).join('\n')}\n`);
      await assert.rejects(restoreBackup(to, Readable.from([changed]), 2), (error) => {
        assert.ok(error instanceof Error);
        assert.equal(error.name, 'BackupError', `${error.name}: ${error.message}`);
        assert.ok(error.message.length < 500, error.message.slice(0, 500));
        return true;
      });
      assert.ok(process.memoryUsage().rss - used < 600_000_000);
      const left = await openStore(to, { clock: systemClock });
      try {
        const rows = await sql<{ n: number }>`select count(*) as n from changes`.execute(left.read);
        assert.equal(Number(rows.rows[0]?.n), 0);
        await left.read.selectFrom('users').selectAll().execute();
      } finally {
        await left.close();
      }
      // The same folder takes the good one afterwards.
      await restoreBackup(to, Readable.from([bytes]), 3);
    });
  }
});
