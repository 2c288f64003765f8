import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { until } from '@turnsole/kube/testing/until';
import { TestServer } from '../../server/testing/test-server.ts';
import { projectScope } from '../../store/store.ts';
import { describeOnDatabases } from '../../store/testing/databases.ts';
import { projectTopic } from '../../store/transaction.ts';
import { enqueueAction } from '../enqueue-action.ts';
import { AgentSocket } from '../testing/agent-socket.ts';
import { untilChanged } from '../testing/until.ts';

async function enqueue(
  server: TestServer,
  project: string,
  infra: string,
  requestId: string,
  more: { readonly expiresAt?: number; readonly manifest?: string } = {},
): Promise<void> {
  await server.plane.store.transaction(projectScope(project), (tx) =>
    enqueueAction(tx, { infra, requestId, type: 'create', username: 'olga', namespace: 'litmus', ...more }),
  );
}

interface State {
  readonly active: number;
  readonly contested: boolean;
}

async function stateOf(server: TestServer, infra: string): Promise<State> {
  const row = await server.plane.store.read
    .selectFrom('infras')
    .select(['active', 'contested_until'])
    .where('id', '=', infra)
    .executeTakeFirstOrThrow();
  return { active: row.active, contested: row.contested_until !== null };
}

/** Rows of actions that are not done, by request ID. */
async function undone(server: TestServer): Promise<string[]> {
  const rows = await server.plane.store.read
    .selectFrom('actions')
    .select('request_id')
    .where('done_at', 'is', null)
    .orderBy('seq')
    .execute();
  return rows.map(({ request_id }) => request_id);
}

/** Waits until these actions are left. Nothing tells of it but the table. */
async function untilLeft(server: TestServer, wanted: readonly string[]): Promise<void> {
  await until(
    async () => JSON.stringify(await undone(server)) === JSON.stringify(wanted),
    `not all but ${wanted.join(', ')} are done`,
  );
}

describeOnDatabases('infraConnect', (database) => {
  test('infraConnect: what waits comes first, then what is new, in order; the agent has it when it has answered', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const agent = await server.agent(p);
    const url = await server.listen();
    const gone = server.plane.clock.now() - 1;
    await enqueue(server, p, agent.infraID, 'first', { manifest: '{"kind":"Workflow"}' });
    await enqueue(server, p, agent.infraID, 'too late', { expiresAt: gone });

    await using socket = await AgentSocket.connect(url, agent);
    assert.deepEqual(await socket.action(), {
      requestID: 'first',
      requestType: 'create',
      k8sManifest: '{"kind":"Workflow"}',
      externalData: null,
      namespace: 'litmus',
      username: 'olga',
    });
    for (const id of ['second', 'third']) await enqueue(server, p, agent.infraID, id);
    assert.equal((await socket.action()).requestID, 'second');
    assert.equal((await socket.action()).requestID, 'third');
    await untilLeft(server, ['too late']);
  });

  test('what an agent did not answer for is sent again, with the same ID and in the same order', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const agent = await server.agent(p);
    const url = await server.listen();
    for (const id of ['a', 'b']) await enqueue(server, p, agent.infraID, id);

    const deaf = await AgentSocket.connect(url, agent, { autoPong: false });
    assert.deepEqual([(await deaf.action()).requestID, (await deaf.action()).requestID], ['a', 'b']);
    deaf.socket.terminate();
    await untilChanged(
      server.plane.store,
      p,
      () => stateOf(server, agent.infraID),
      ({ active }) => active === 0,
    );
    assert.deepEqual(await undone(server), ['a', 'b']);

    await using socket = await AgentSocket.connect(url, agent);
    assert.deepEqual([(await socket.action()).requestID, (await socket.action()).requestID], ['a', 'b']);
    await untilLeft(server, []);
  });

  test('infraActionResult: from an agent that tells what became of an action, it stays until then', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const agent = await server.agent(p);
    const other = await server.agent(p, 'other');
    const url = await server.listen();
    const tell = async (from: object, requestID: string): Promise<unknown> => {
      const mutation = `mutation ($r: InfraActionResult!) { infraActionResult(request: $r) }`;
      const r = { infraID: from, requestID, requestType: 'create', isDone: true, message: 'made' };
      return (await server.data(mutation, { r })).infraActionResult;
    };
    {
      await using socket = await AgentSocket.connect(url, agent, { more: ', reportsResults: true' });
      await enqueue(server, p, agent.infraID, 'a');
      await enqueue(server, p, agent.infraID, 'look', { expiresAt: server.plane.clock.now() + 60_000 });
      assert.equal((await socket.action()).requestID, 'a');
      assert.equal((await socket.action()).requestID, 'look');
      await untilLeft(server, ['a']);
    }
    await using socket = await AgentSocket.connect(url, agent, { more: ', reportsResults: true' });
    assert.equal((await socket.action()).requestID, 'a');
    assert.equal(await tell(other, 'a'), 'no action waits for this result');
    assert.equal(await tell(agent, 'a'), 'action result kept');
    assert.equal(await tell(agent, 'a'), 'no action waits for this result');
    const row = await server.plane.store.read
      .selectFrom('actions')
      .select('outcome')
      .where('request_id', '=', 'a')
      .executeTakeFirstOrThrow();
    assert.deepEqual(JSON.parse(row.outcome ?? ''), { isDone: true, message: 'made' });
    assert.deepEqual(await undone(server), []);
  });

  test('a second agent takes over; the first one is notified, and refused while the second one lives', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const agent = await server.agent(p);
    const url = await server.listen();
    const { store } = server.plane;
    const state = (): Promise<State> => stateOf(server, agent.infraID);

    const first = await AgentSocket.connect(url, agent);
    await enqueue(server, p, agent.infraID, 'a');
    await first.action();
    const second = await AgentSocket.connect(url, agent);
    assert.equal((await first.next()).type, 'complete');
    await enqueue(server, p, agent.infraID, 'b');
    assert.equal((await second.action()).requestID, 'b');
    await untilChanged(store, p, state, ({ contested }) => contested);

    await using again = await AgentSocket.connect(url, agent);
    const { payload } = await again.next();
    assert.equal(payload?.errors?.[0]?.message, 'CLUSTER ALREADY CONNECTED');
    assert.equal((await again.next()).type, 'complete');
    await enqueue(server, p, agent.infraID, 'c');
    assert.equal((await second.action()).requestID, 'c');
    await first[Symbol.asyncDispose]();
    assert.deepEqual(await state(), { active: 1, contested: true });

    await second[Symbol.asyncDispose]();
    await untilChanged(store, p, state, ({ active }) => active === 0);
    await using third = await AgentSocket.connect(url, agent);
    await enqueue(server, p, agent.infraID, 'd');
    assert.equal((await third.action()).requestID, 'd');
    assert.deepEqual(await state(), { active: 1, contested: false });
  });

  test('an agent whose infrastructure was deleted while it was away gets the order to leave, and nothing else', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const agent = await server.agent(p);
    const remove = `mutation ($p: ID!, $i: String!) { deleteInfra(projectID: $p, infraID: $i) }`;
    await server.data(remove, { p, i: agent.infraID }, owner);
    await using socket = await AgentSocket.connect(await server.listen(), agent);
    const manifests = [await socket.action(), await socket.action()].map(({ k8sManifest }) =>
      JSON.parse(k8sManifest),
    );
    assert.deepEqual(
      manifests.map(({ kind, metadata }) => [kind, metadata]),
      [
        ['ConfigMap', { name: 'subscriber-config', namespace: 'litmus' }],
        ['Deployment', { labels: { app: 'subscriber' }, namespace: 'litmus' }],
      ],
    );
    assert.equal((await socket.next()).type, 'complete');
    await untilLeft(server, []);
    const log = {
      infraID: agent,
      requestID: 'x',
      experimentRunID: 'r',
      podName: 'p',
      podType: 'Pod',
      log: '',
    };
    const answer = await server.graphql(`mutation ($r: PodLog!) { podLog(request: $r) }`, { r: log });
    assert.equal(answer.errors[0]?.message, 'ERROR:  accessID MISMATCH');
  });

  test('agents with a wrong key or version are refused in the words that they know', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const agent = await server.agent(p);
    const url = await server.listen();
    for (const [wrong, message] of [
      [{ accessKey: 'x' }, 'ERROR:  accessID MISMATCH'],
      [{ version: '2.1.0' }, 'ERROR: infra VERSION MISMATCH (need 3.x.x got 2.1.0)'],
    ] as const) {
      await using socket = await AgentSocket.connect(url, { ...agent, ...wrong });
      assert.equal((await socket.next()).payload?.errors?.[0]?.message, message);
      assert.equal((await socket.next()).type, 'complete');
    }
  });

  test('getInfraEvents: who watches a project learns of registrations, connections and their ends', async () => {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const agent = await server.agent(p);
    const url = await server.listen();
    const query = `subscription { getInfraEvents(projectID: "${p}") { eventType eventName description infra { infraID isActive } } }`;
    const isWatched = watched(server, p);
    const first = fetch(`${url}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${owner.token}` },
      body: JSON.stringify({ query }),
    }).then((reply) => reply.json());
    await isWatched;
    const socket = await AgentSocket.connect(url, agent);
    assert.deepEqual(await first, {
      data: {
        getInfraEvents: {
          eventType: 'infra-status',
          eventName: 'Infra Live',
          description: 'Infra is Live and Connected',
          infra: { infraID: agent.infraID, isActive: true },
        },
      },
    });
    socket.socket.close();
    await once(socket.socket, 'close');
    await untilChanged(
      server.plane.store,
      p,
      () => stateOf(server, agent.infraID),
      ({ active }) => active === 0,
    );
    const changes = await server.plane.store.read
      .selectFrom('changes')
      .select('body')
      .where('kind', '=', 'infra')
      .orderBy('seq')
      .execute();
    assert.deepEqual(
      changes.map(({ body }) => JSON.parse(body).event.eventName),
      ['Infra Live', 'Infra Offline'],
    );
  });
});

/** Resolves when somebody follows the project: what is changed from then on is seen. */
function watched(server: TestServer, project: string): Promise<void> {
  const { wakeUps } = server.plane.store;
  const on = wakeUps.on.bind(wakeUps);
  return new Promise((resolve) => {
    wakeUps.on = (topic, wake) => {
      const leave = on(topic, wake);
      if (topic === projectTopic(project)) resolve();
      return leave;
    };
  });
}
