import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../kube/testing/fake-clock.ts';
import type { Context } from '../../access/context.ts';
import { TestServer } from '../../server/testing/test-server.ts';
import { projectScope } from '../../store/store.ts';
import { describeOnDatabases } from '../../store/testing/databases.ts';
import { connectionDuties } from './duties.ts';

async function round({ plane }: TestServer): Promise<void> {
  const context: Context = {
    plane,
    caller: { kind: 'server' },
    origin: { address: '', serverUrl: '' },
    operation: 'duty',
    signal: plane.signal,
  };
  for (const duty of connectionDuties) await duty.run(context);
}

describeOnDatabases('duties for connections', (database) => {
  test('an agent whose replica died is not shown as connected; webhooks learn once of an agent that stays away', async () => {
    const clock = new FakeClock();
    const server = await TestServer.start(database, { clock });
    const { store, ids } = server.plane;
    const p = await server.project([]);
    const agent = await server.agent(p, 'east');
    await store.transaction(projectScope(p), ({ db, now }) =>
      db
        .insertInto('webhooks')
        .values({
          ...{ id: ids.id(), project_id: p, name: 'w', events: '["INFRA_LOST"]', enabled: 1 },
          ...{ sealed_url: '', shown_url: '', sealed_secret: '', format: 'GENERIC' },
          ...{ created_at: now, updated_at: now, created_by: '', updated_by: '' },
        })
        .execute(),
    );
    const state = async (): Promise<[number, string[]]> => {
      const row = await store.read
        .selectFrom('infras')
        .select('active')
        .where('id', '=', agent.infraID)
        .executeTakeFirstOrThrow();
      const deliveries = await store.read.selectFrom('deliveries').select('body').execute();
      return [row.active, deliveries.map(({ body }) => JSON.parse(body).summary)];
    };
    await round(server);
    assert.deepEqual(await state(), [1, []]);
    await clock.advance(31_000);
    await round(server);
    assert.deepEqual(await state(), [0, []]);
    await clock.advance(31_000);
    const lost = ['Infrastructure east has no connected agent any more'];
    for (let rounds = 0; rounds < 2; rounds++) {
      await round(server);
      assert.deepEqual(await state(), [0, lost]);
    }
  });
});
