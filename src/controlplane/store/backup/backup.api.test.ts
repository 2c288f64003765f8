import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { systemClock } from '@turnsole/kube/base/clock';
import { openStore, type StoreLocation } from '../open.ts';
import { packText, unpackText } from '../packed-text.ts';
import { projectScope, type Store } from '../store.ts';
import { describeOnEachDatabase, otherDatabase } from '../testing/databases.ts';
import { restoreBackup } from './restore-backup.ts';
import { writeBackup } from './write-backup.ts';

const CLOCK = { clock: systemClock };
const MANIFEST = 'kind: Workflow # ünï\u0000code 🌻';

async function fill(store: Store): Promise<void> {
  await store.transaction(projectScope('p'), async (tx) => {
    for (let number = 0; number < 700; number += 1) {
      await tx.change({ project: 'p', kind: 'run', id: `r${number}`, body: { number } });
    }
    await tx.db
      .insertInto('actions')
      .values({
        ...{
          infra_id: 'i',
          request_id: 'q',
          request_type: 'create',
          manifest: packText(MANIFEST),
          namespace: 'n',
        },
        ...{ external_data: null, username: '', created_at: tx.now, expires_at: null, sent_at: null },
        ...{ done_at: null, outcome: null },
      })
      .execute();
  });
  // The last number was given, and must not be given again.
  await store.transaction(projectScope('p'), async ({ db }) => {
    await db.deleteFrom('changes').where('object_id', '=', 'r699').execute();
  });
}

async function backupOf(location: StoreLocation): Promise<Buffer> {
  const target = new PassThrough();
  const [bytes] = await Promise.all([buffer(target), writeBackup(location, target, 1)]);
  return bytes;
}

describeOnEachDatabase('a backup', (database) => {
  for (const same of [true, false]) {
    const kind = same ? 'the same kind' : 'the other kind';
    const target = otherDatabase(database.dialect, same);
    test(`of a database in use is everything in a new one of ${kind}`, {
      skip: target === undefined,
    }, async () => {
      const from = await database.location();
      const store = await openStore(from, CLOCK);
      await fill(store);
      const bytes = await backupOf(from);
      const to = await target?.location();
      assert.ok(to);
      await restoreBackup(to, Readable.from([bytes]), 2);
      const restored = await openStore(to, CLOCK);
      try {
        const all = (one: Store): Promise<object[]> =>
          one.read.selectFrom('changes').selectAll().orderBy('seq').execute();
        assert.deepEqual(JSON.stringify(await all(restored)), JSON.stringify(await all(store)));
        const [action] = await restored.read.selectFrom('actions').selectAll().execute();
        assert.equal(unpackText(action?.manifest ?? new Uint8Array()), MANIFEST);
        await restored.transaction(projectScope('p'), (tx) =>
          tx.change({ project: 'p', kind: 'run', id: 'new' }),
        );
        const [last] = (await all(restored)).slice(-1) as { seq: number }[];
        assert.equal(last?.seq, 701);
        await assert.rejects(restoreBackup(to, Readable.from([bytes]), 3), {
          message: /^the database is not empty/,
        });
      } finally {
        await restored.close();
        await store.close();
      }
    });
  }

  test('that is damaged, cut off or newer leaves nothing behind', async () => {
    const from = await database.location();
    const store = await openStore(from, CLOCK);
    await fill(store);
    await store.close();
    const bytes = await backupOf(from);
    const lines = gunzipSync(bytes).toString('utf8').trimEnd().split('\n');
    const packed = (text: readonly string[]): Buffer => gzipSync(text.join('\n'));
    const [head = '', ...rest] = lines;
    const row = lines.findIndex((line) => line.startsWith('['));
    const cases: readonly (readonly [Buffer, RegExp])[] = [
      [bytes.subarray(0, bytes.length / 2), /cannot be read|cut off/],
      [packed(lines.slice(0, -1)), /cut off/],
      [packed(lines.toSpliced(row, 1)), /rows are missing/],
      [packed([head.replace('"versions":[', '"versions":[9999,'), ...rest]), /newer version/],
      [packed(['{}']), /no backup/],
      [Buffer.from('no'), /cannot be read|no backup/],
    ];
    const to = await database.location();
    for (const [damaged, message] of cases) {
      await assert.rejects(restoreBackup(to, Readable.from([damaged]), 2), { name: 'BackupError', message });
    }
    await restoreBackup(to, Readable.from([bytes]), 3);
  });
});
