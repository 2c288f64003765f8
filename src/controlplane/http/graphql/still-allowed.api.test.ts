import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { TestServer, type TestUser } from '../../server/testing/test-server.ts';
import { ACCOUNTS } from '../../store/store.ts';
import { describeOnDatabases } from '../../store/testing/databases.ts';

const WATCH = 'subscription ($p: ID!) { watchProject(projectID: $p) { changes { id } } }';
const CREATE = `mutation ($p: ID!, $e: String!) {
  createEnvironment(projectID: $p, request: { environmentID: $e, name: "e", type: NON_PROD }) { environmentID }
}`;

describeOnDatabases('a subscription', (database) => {
  for (const [what, expected, disallow] of [
    [
      'is no member any more',
      /you are no member/,
      (server: TestServer, user: TestUser) => forget(server, 'members', user),
    ],
    [
      'has signed out',
      /invalid Token/,
      (server: TestServer, user: TestUser) => forget(server, 'sessions', user),
    ],
  ] as const) {
    test(`ends before the next event when its caller ${what}`, async () => {
      const clock = new FakeClock();
      const server = await TestServer.start(database, { clock });
      const [owner, viewer] = [await server.user('olga'), await server.user('vera')];
      const p = await server.project([
        [owner, 'Owner'],
        [viewer, 'Viewer'],
      ]);
      const socket = createClient({
        url: `${(await server.listen()).replace('http', 'ws')}/query`,
        webSocketImpl: WebSocket,
        connectionParams: { authorization: `Bearer ${viewer.token}` },
        retryAttempts: 0,
      });
      after(() => socket.dispose());
      const events = socket.iterate<{ watchProject: { changes: { id: string }[] } }>({
        query: WATCH,
        variables: { p },
      });
      const next = async () => (await events.next()).value;
      assert.deepEqual((await next())?.data?.watchProject.changes, []);
      await server.data(CREATE, { p, e: 'first' }, owner);
      assert.deepEqual((await next())?.data?.watchProject.changes, [{ id: 'first' }]);

      await disallow(server, viewer);
      await clock.advance(1_000);
      await server.data(CREATE, { p, e: 'second' }, owner);

      const { data, errors } = (await next()) ?? {};
      assert.match(errors?.[0]?.message ?? '', expected);
      assert.doesNotMatch(JSON.stringify(data ?? null), /second/);
      assert.equal((await events.next()).done, true);
    });
  }
});

async function forget(server: TestServer, table: 'members' | 'sessions', { id }: TestUser): Promise<void> {
  await server.plane.store.transaction(ACCOUNTS, ({ db }) =>
    db.deleteFrom(table).where('user_id', '=', id).execute(),
  );
}
