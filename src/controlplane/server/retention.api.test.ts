import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { Context } from '../access/context.ts';
import { ACCOUNTS } from '../store/store.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { retentionDuty } from './retention.ts';
import { TestServer } from './testing/test-server.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2030, 0, 31);

describeOnDatabases('what is old is deleted', (database) => {
  test('changes after a day, the audit log by its setting, sessions when they are over, all of it however much', async () => {
    const clock = new FakeClock(NOW);
    const server = await TestServer.start(database, { clock });
    const { store } = server.plane;
    await server.user('anna');
    await store.transaction(ACCOUNTS, async ({ db }) => {
      for (const [days, count] of [
        [3, 700],
        [0, 2],
      ] as const) {
        const at = NOW - days * DAY_MS;
        const change = { project_id: 'p', kind: 'run', object_id: 'r', body: '{}', at };
        await db
          .insertInto('changes')
          .values(Array.from({ length: count }, () => change))
          .execute();
        await db
          .insertInto('audit')
          .values({
            ...{ at, project_id: 'p', actor_kind: 'user', actor_id: 'u', actor_name: 'anna', address: '' },
            ...{ operation: 'o', object_kind: 'k', object_id: `${days}`, before: null, after: null },
          })
          .execute();
      }
    });
    await clock.advance(DAY_MS - 1);
    const { signal } = new AbortController();
    const context = { plane: server.plane, signal } as Context;
    await retentionDuty({ runsMs: undefined, auditMs: 2 * DAY_MS }).run(context);
    assert.equal((await store.read.selectFrom('changes').select('seq').execute()).length, 2);
    const lines = await store.read.selectFrom('audit').select('object_id').execute();
    assert.deepEqual(
      lines.map((line) => line.object_id),
      ['0'],
    );
    assert.equal((await store.read.selectFrom('sessions').select('id').execute()).length, 1);
    await clock.advance(2);
    await retentionDuty({ runsMs: undefined, auditMs: undefined }).run(context);
    assert.equal((await store.read.selectFrom('sessions').select('id').execute()).length, 0);
    assert.equal(
      (await store.read.selectFrom('audit').select('seq').execute()).length,
      1,
      'the audit log is kept',
    );
  });
});
