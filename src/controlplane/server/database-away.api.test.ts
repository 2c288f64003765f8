/** PostgreSQL goes away under a server with an agent and a reader, and comes back. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { enqueueAction } from '../infra/enqueue-action.ts';
import { AgentSocket } from '../infra/testing/agent-socket.ts';
import { projectScope } from '../store/store.ts';
import { otherDatabase } from '../store/testing/databases.ts';
import { startPostgres } from '../store/testing/postgres-server.ts';
import { TestServer } from './testing/test-server.ts';

const MAKE = `mutation ($p: ID!, $e: String!) {
  createEnvironment(projectID: $p, request: { environmentID: $e, name: $e, type: NON_PROD }) { environmentID }
}`;
const AWAY = 'the database is not available; nothing was changed, try again';
const LIST = `query ($p: ID!) { listEnvironments(projectID: $p) { environments { environmentID } } }`;

const database = otherDatabase('postgres', true);

describe('the database goes away', { skip: database === undefined }, () => {
  assert.ok(database !== undefined);

  test('requests are refused with 503 meanwhile, nothing acknowledged is lost, and agents hear again', async () => {
    let postgres = await startPostgres({});
    after(() => postgres.stop());
    const server = await TestServer.start(database, { location: { url: postgres.url } });
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const agent = await server.agent(p);
    await using socket = await AgentSocket.connect(await server.listen(), agent);
    const order = (requestId: string): Promise<void> =>
      server.plane.store.transaction(projectScope(p), (tx) =>
        enqueueAction(tx, { infra: agent.infraID, requestId, type: 'create', username: 'olga' }),
      );
    await order('before');
    assert.equal((await socket.action()).requestID, 'before');
    await server.data(MAKE, { p, e: 'before' }, owner);

    await postgres.stop();
    for (const [document, e] of [
      [MAKE, 'meanwhile'],
      [LIST, ''],
    ] as const) {
      const payload = { query: document, variables: { p, e } };
      const headers = { authorization: `Bearer ${owner.token}` };
      const reply = await server.app.inject({ method: 'POST', url: '/query', payload, headers });
      const { errorDescription } = reply.json();
      assert.deepEqual([reply.statusCode, errorDescription], [503, AWAY], document);
    }
    // The agent's connection looks for actions, in vain.
    server.plane.store.wakeUps.wakeAll();

    postgres = await startPostgres({}, postgres.folder);
    await order('afterwards');
    await server.data(MAKE, { p, e: 'afterwards' }, owner);
    const { listEnvironments } = await server.data(LIST, { p }, owner);
    const { environments } = listEnvironments as { environments: readonly { environmentID: string }[] };
    assert.deepEqual(environments.map(({ environmentID }) => environmentID).toSorted(), [
      'afterwards',
      'before',
    ]);
    assert.equal((await socket.action()).requestID, 'afterwards');
  });
});
