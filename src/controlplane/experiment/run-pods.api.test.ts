import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentSocket } from '../infra/testing/agent-socket.ts';
import { describeOnDatabases } from '../store/testing/databases.ts';
import { Scene } from './testing/scene.ts';

const PODS = `subscription ($p: ID!) {
  getRunPods(projectID: $p, experimentRunID: "uid") { problem pods { namespace name container isThere isRunning isKept } }
}`;
const REPLY = `mutation ($r: AgentReply!) { agentReply(request: $r) }`;

const chaosData = { engineUID: 'u-1', namespace: 'shop', runnerPod: 'e-runner', experimentPod: 'e-x-1' };
const TEXT = JSON.stringify({
  ...{ name: 'shop-1', namespace: 'litmus', phase: 'Running' },
  nodes: { 'shop-1-2': { type: 'ChaosEngine', startedAt: '2', chaosData } },
});

describeOnDatabases('pods of runs', (database) => {
  async function scene(): Promise<Scene> {
    const made = await Scene.start(database);
    await made.save('e1');
    const notifyID = await made.run('e1');
    await made.report({ experimentID: 'e1', runID: 'uid', notifyID, text: TEXT });
    return made;
  }

  /** The agent's connection, from when it has got the order to begin the run: what it answers is known by then. */
  async function connected({ server, agent }: Scene, more = ''): Promise<AgentSocket> {
    const socket = await AgentSocket.connect(await server.listen(), agent, { more });
    assert.equal((await socket.action()).requestType, 'create');
    return socket;
  }

  test('getRunPods, agentReply: the agent that answers it is asked, and what it does not find is gone', async () => {
    const of = await scene();
    const { server, agent } = of;
    await using socket = await connected(of, ', answers: ["run_pods"]');
    const asked = of.data(PODS);
    const { requestType, requestID, externalData } = await socket.action();
    assert.equal(requestType, 'run_pods');
    assert.deepEqual(JSON.parse(externalData ?? ''), {
      infraID: agent.infraID,
      places: [
        { namespace: 'litmus', workflow: 'shop-1' },
        { namespace: 'shop', engineUID: 'u-1' },
      ],
    });
    const pod = {
      namespace: 'shop',
      name: 'e-runner',
      containers: ['main'],
      phase: 'Running',
      startedAt: '',
    };
    const reply = JSON.stringify({ answer: { pods: [pod], problems: [] } });
    const r = { infraID: agent, requestID, reply };
    const foreign = await server.agent(await server.project([]), 'foreign');
    assert.equal(
      (await server.data(REPLY, { r: { ...r, infraID: foreign } })).agentReply,
      'nobody waits for this reply',
    );
    assert.equal((await server.data(REPLY, { r })).agentReply, 'reply kept');
    assert.deepEqual((await asked).getRunPods, {
      problem: null,
      pods: [
        {
          namespace: 'litmus',
          name: 'shop-1-2',
          container: 'main',
          isThere: false,
          isRunning: false,
          isKept: false,
        },
        {
          namespace: 'shop',
          name: 'e-x-1',
          container: null,
          isThere: false,
          isRunning: false,
          isKept: false,
        },
        {
          namespace: 'shop',
          name: 'e-runner',
          container: 'main',
          isThere: true,
          isRunning: true,
          isKept: false,
        },
      ],
    });
  });

  test('an agent that does not answer such requests is not asked; what its account names is shown', async () => {
    const of = await scene();
    await using _socket = await connected(of);
    await of.orders();
    const { problem, pods } = (await of.data(PODS)).getRunPods as { problem: string; pods: object[] };
    assert.match(problem, /cannot answer such requests: a newer one can; update it$/);
    assert.equal(pods.length, 3);
    assert.deepEqual(await of.orders(), []);
  });

  test('getRunPods shows the reason that an agent sends instead of an answer', async () => {
    const of = await scene();
    const { server, agent } = of;
    await using socket = await connected(of, ', answers: ["run_pods"]');
    const asked = of.data(PODS);
    const { requestID } = await socket.action();
    await server.data(REPLY, { r: { infraID: agent, requestID, reply: '{"problem":"pods are forbidden"}' } });
    assert.equal(((await asked).getRunPods as { problem: string }).problem, 'pods are forbidden');
  });
});
