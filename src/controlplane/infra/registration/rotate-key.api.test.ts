import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { parse } from 'yaml';
import { type TestAgent, TestServer, type TestUser } from '../../server/testing/test-server.ts';
import { describeOnDatabases } from '../../store/testing/databases.ts';
import { agentTopic } from '../enqueue-action.ts';
import { AgentSocket } from '../testing/agent-socket.ts';

const ROTATE = `mutation ($p: ID!, $i: String!, $h: Boolean) {
  rotateInfraKey(projectID: $p, infraID: $i, handOver: $h) { infraID isHandedOver message secret } }`;
const REPLY = 'mutation ($r: AgentReply!) { agentReply(request: $r) }';
const TAKES_KEYS = ', answers: ["new_key"]';
const REFUSED = 'ERROR:  accessID MISMATCH';

interface Rotated {
  readonly isHandedOver: boolean;
  readonly message: string;
  readonly secret: string;
}

describeOnDatabases('rotateInfraKey', (database) => {
  async function scene() {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const agent = await server.agent(p);
    const rotate = async (h?: boolean, by: TestUser = owner): Promise<Rotated> =>
      (await server.data(ROTATE, { p, i: agent.infraID, h }, by)).rotateInfraKey as Rotated;
    const errorFor = async (one: TestAgent): Promise<string | undefined> => {
      const r = { infraID: one, requestID: 'x', reply: '{}' };
      return (await server.graphql(REPLY, { r })).errors[0]?.message;
    };
    return { server, owner, p, agent, rotate, errorFor };
  }
  const keyIn = (secret: string): string =>
    Buffer.from(parse(secret).data.ACCESS_KEY as string, 'base64').toString();

  test('rotateInfraKey: the connected agent gets the new key and answers with it; the former one is worth nothing', async () => {
    const { server, agent, rotate, errorFor } = await scene();
    const url = await server.listen();
    await using socket = await AgentSocket.connect(url, agent, { more: TAKES_KEYS });
    await connected(server, agent);
    const rotated = rotate();
    const action = await socket.action();
    assert.equal(action.requestType, 'new_key');
    const { accessKey } = JSON.parse(action.externalData ?? '');
    assert.equal((await socket.next()).type, 'complete');
    assert.equal(await errorFor(agent), REFUSED);
    const stored = await server.plane.store.read.selectFrom('actions').selectAll().execute();
    assert.ok(!JSON.stringify(stored).includes(accessKey), 'the database has it sealed');
    const now = { ...agent, accessKey };
    const r = { infraID: now, requestID: action.requestID, reply: '{"answer":{}}' };
    await server.data(REPLY, { r });
    const { isHandedOver, secret } = await rotated;
    assert.deepEqual([isHandedOver, keyIn(secret)], [true, accessKey]);
    await using again = await AgentSocket.connect(url, now, { more: TAKES_KEYS });
    await connected(server, agent);
    assert.ok(again.socket.readyState === again.socket.OPEN);
  });

  test('rotateInfraKey: an agent that cannot take it, or is not to, is cut off, and the Secret has the new key', async () => {
    const { server, agent, rotate, errorFor } = await scene();
    const url = await server.listen();
    let current = agent;
    for (const [more, handOver, why] of [
      ['', undefined, /a newer one can; update it/],
      [TAKES_KEYS, false, /it was not to be handed over/],
    ] as const) {
      await using socket = await AgentSocket.connect(url, current, { more });
      await connected(server, agent);
      const { isHandedOver, message, secret } = await rotate(handOver);
      assert.equal(isHandedOver, false);
      assert.match(message, why);
      const frame = await socket.next();
      assert.equal(frame.payload?.errors?.[0]?.message, REFUSED);
      assert.equal(await errorFor(current), REFUSED);
      current = { ...agent, accessKey: keyIn(secret) };
      assert.equal(await errorFor(current), undefined);
      socket.socket.close();
      await once(socket.socket, 'close');
    }
  });

  test('rotateInfraKey: while two agents live with one key, neither gets the new one', async () => {
    const { server, agent, rotate } = await scene();
    const url = await server.listen();
    await using thief = await AgentSocket.connect(url, agent, { more: TAKES_KEYS });
    await connected(server, agent);
    await server.plane.store.transaction('test', ({ db, now }) =>
      db
        .updateTable('infras')
        .set({ contested_until: now + 60_000 })
        .execute(),
    );
    assert.match((await rotate()).message, /two agents with its key were connected lately/);
    assert.equal((await thief.next()).payload?.errors?.[0]?.message, REFUSED);
  });

  test('rotateInfraKey: owners only; links to the manifest of before show nothing', async () => {
    const { server, owner, p, agent, rotate } = await scene();
    const [executor, stranger] = [await server.user('vera'), await server.user('sven')];
    await server.plane.store.transaction('test', ({ db, now }) =>
      db
        .insertInto('members')
        .values({
          project_id: p,
          user_id: executor.id,
          role: 'Executor',
          invitation: 'Accepted',
          invited_at: now,
          joined_at: now,
        })
        .execute(),
    );
    for (const other of [executor, stranger]) await assert.rejects(rotate(false, other), /permission_denied/);
    const GET = 'query ($p: ID!, $i: String!) { getInfra(projectID: $p, infraID: $i) { token } }';
    const linkOf = async (): Promise<string> =>
      ((await server.data(GET, { p, i: agent.infraID }, executor)).getInfra as { token: string }).token;
    const former = await linkOf();
    await rotate(false);
    const shown = (token: string) => server.app.inject({ url: `/file/${token}.yaml` });
    assert.equal((await shown(former)).statusCode, 401);
    const removed = await server.rest(
      'POST',
      '/remove_invitation',
      { projectID: p, userID: executor.id },
      owner,
    );
    assert.deepEqual(removed.body.keysToRotate, [{ infraID: agent.infraID, name: 'cluster' }]);
    assert.match(String(removed.body.hint), /rotate those of cluster/);
  });
});

/** Resolves when the agent's connection counts. */
async function connected(server: TestServer, { infraID }: TestAgent): Promise<void> {
  const { store } = server.plane;
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = async (): Promise<void> => {
    const row = await store.read
      .selectFrom('infras')
      .select('connection_id')
      .where('id', '=', infraID)
      .executeTakeFirst();
    if (row?.connection_id) resolve();
  };
  const leave = store.wakeUps.on(agentTopic(infraID), () => void look());
  await look();
  await promise;
  leave();
}
