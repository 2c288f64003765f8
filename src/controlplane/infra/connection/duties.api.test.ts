import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { until } from '@turnsole/kube/testing/until';
import { serverContext } from '../../access/context.ts';
import { TestServer } from '../../server/testing/test-server.ts';
import { projectScope } from '../../store/store.ts';
import { describeOnDatabases } from '../../store/testing/databases.ts';
import { enqueueAction } from '../enqueue-action.ts';
import { AgentSocket } from '../testing/agent-socket.ts';
import { connectionDuties } from './duties.ts';

async function round({ plane }: TestServer): Promise<void> {
  const context = serverContext(plane, 'duty');
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

  test('an agent that was taken for dead while there was no database is connected again, without its doing', async () => {
    const clock = new FakeClock();
    const server = await TestServer.start(database, { clock });
    const { store } = server.plane;
    const p = await server.project([]);
    const agent = await server.agent(p, 'east');
    await using socket = await AgentSocket.connect(await server.listen(), agent);
    const order = (requestId: string): Promise<void> =>
      store.transaction(projectScope(p), (tx) =>
        enqueueAction(tx, { infra: agent.infraID, requestId, type: 'create', username: 'olga' }),
      );
    await order('before');
    assert.equal((await socket.action()).requestID, 'before');
    const row = async (): Promise<unknown[]> => {
      const { active, connection_id } = await store.read
        .selectFrom('infras')
        .select(['active', 'connection_id'])
        .where('id', '=', agent.infraID)
        .executeTakeFirstOrThrow();
      return [active, connection_id];
    };
    const connected = await row();
    // No heartbeat could be written.
    await store.transaction(projectScope(p), ({ db, now }) =>
      db
        .updateTable('infras')
        .set({ seen_at: now - 31_000 })
        .where('id', '=', agent.infraID)
        .execute(),
    );
    await round(server);
    assert.deepEqual(await row(), [0, null]);
    await clock.advance(10_000);
    await until(async () => (await row())[0] === 1, 'the agent is not connected');
    assert.deepEqual(await row(), connected);
    await order('afterwards');
    assert.equal((await socket.action()).requestID, 'afterwards');
  });
});
