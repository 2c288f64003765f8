/** Two servers on one database; each serves any agent and any browser. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type TestAgent, TestServer } from '../../server/testing/test-server.ts';
import { projectScope } from '../../store/store.ts';
import { describeOnDatabases } from '../../store/testing/databases.ts';
import { enqueueAction } from '../enqueue-action.ts';
import { AgentSocket } from '../testing/agent-socket.ts';

const GET_LOG = `subscription ($r: PodLogRequest!) { getPodLog(request: $r) { log } }`;
const POD_LOG = `mutation ($r: PodLog!) { podLog(request: $r) }`;

function enqueue({ plane }: TestServer, project: string, infra: string, requestId: string): Promise<void> {
  return plane.store.transaction(projectScope(project), (tx) =>
    enqueueAction(tx, { infra, requestId, type: 'create', username: 'olga' }),
  );
}

describeOnDatabases('agents and replicas', (database) => {
  const skip = database.dialect === 'sqlite' && 'SQLite is of one server alone';

  test('what is asked of one replica goes by the other, and comes back', { skip }, async () => {
    const secretKey = randomBytes(32);
    const one = await TestServer.start(database, { secretKey });
    const two = await TestServer.start(database, { secretKey, location: one.location });
    const owner = await one.user('olga');
    const p = await one.project([[owner, 'Owner']]);
    const agent: TestAgent = await one.agent(p);
    const { infraID } = agent;

    const socket = await AgentSocket.connect(await one.listen(), agent, { more: ', reportsResults: true' });
    await enqueue(two, p, infraID, 'a');
    assert.equal((await socket.action()).requestID, 'a');

    const r = { infraID, experimentRunID: 'r', podName: 'p', podNamespace: 'n', podType: 'Pod' };
    const asked = two.data(GET_LOG, { r }, owner);
    const { requestID } = await socket.action();
    const said = {
      infraID: agent,
      requestID,
      experimentRunID: 'r',
      podName: 'p',
      podType: 'Pod',
      log: 'text',
    };
    assert.equal((await one.data(POD_LOG, { r: said })).podLog, 'LOGS SENT SUCCESSFULLY');
    assert.deepEqual(await asked, { getPodLog: { log: 'text' } });

    // The replica goes; what its agent has not told of comes again by the other one, at once.
    await one.stop();
    await enqueue(two, p, infraID, 'b');
    await using back = await AgentSocket.connect(await two.listen(), agent);
    assert.deepEqual([(await back.action()).requestID, (await back.action()).requestID], ['a', 'b']);
  });

  test('an agent that comes to another replica takes over from its connection to the first', {
    skip,
  }, async () => {
    const secretKey = randomBytes(32);
    const one = await TestServer.start(database, { secretKey });
    const two = await TestServer.start(database, { secretKey, location: one.location });
    const p = await one.project([]);
    const agent = await one.agent(p);
    await using first = await AgentSocket.connect(await one.listen(), agent);
    await enqueue(one, p, agent.infraID, 'a');
    assert.equal((await first.action()).requestID, 'a');
    await using second = await AgentSocket.connect(await two.listen(), agent);
    assert.equal((await first.next()).type, 'complete');
    await enqueue(one, p, agent.infraID, 'b');
    const ids = [(await second.action()).requestID];
    // Whether the first action was noted before the second connection began is a matter of milliseconds.
    if (ids[0] === 'a') ids.push((await second.action()).requestID);
    assert.equal(ids.at(-1), 'b');
  });
});
