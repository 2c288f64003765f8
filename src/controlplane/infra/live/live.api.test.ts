import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { WebSocket } from 'ws';
import { type TestAgent, TestServer, type TestUser } from '../../server/testing/test-server.ts';
import { describeOnDatabases } from '../../store/testing/databases.ts';
import { AgentSocket } from '../testing/agent-socket.ts';

const POD_LOG = `mutation ($r: PodLog!) { podLog(request: $r) }`;
const KUBE_OBJ = `mutation ($r: KubeObjectData!) { kubeObj(request: $r) }`;
const KUBE_NAMESPACE = `mutation ($r: KubeNamespaceData!) { kubeNamespace(request: $r) }`;
const GET_LOG = `subscription ($r: PodLogRequest!) { getPodLog(request: $r) { experimentRunID podName podType log } }`;
const GET_OBJECTS = `subscription ($r: KubeObjectRequest!) {
  getKubeObject(request: $r) { infraID kubeObj { namespace data { name labels service { selector ports { name port } } } } }
}`;
const GET_NAMESPACES = `subscription ($r: KubeNamespaceRequest!) { getKubeNamespace(request: $r) { infraID kubeNamespace { name } } }`;

interface Scene {
  readonly server: TestServer;
  readonly owner: TestUser;
  readonly agent: TestAgent;
  readonly url: string;
  readonly logRequest: object;
}

function logRequestOf({ infraID }: TestAgent): object {
  return { infraID, experimentRunID: 'run', podName: 'pod', podNamespace: 'litmus', podType: 'Pod' };
}

/** What a question over a websocket gets, until it ends. */
async function stream(
  { url, owner }: Scene,
  query: string,
  r: object,
  onEvent: (log: string) => void,
): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/query`, ['graphql-ws']);
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: owner.token } }));
  socket.send(JSON.stringify({ type: 'start', id: '1', payload: { query, variables: { r } } }));
  await new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      const { type, payload } = JSON.parse(data.toString());
      if (type === 'data') onEvent(payload.data?.getPodLog.log ?? JSON.stringify(payload));
      if (type === 'complete') resolve();
    });
  });
  socket.close();
}

describeOnDatabases('live data of clusters', (database) => {
  async function scene(): Promise<Scene> {
    const server = await TestServer.start(database);
    const owner = await server.user('olga');
    const p = await server.project([[owner, 'Owner']]);
    const agent = await server.agent(p);
    return { server, owner, agent, url: await server.listen(), logRequest: logRequestOf(agent) };
  }

  async function disconnected({ server, agent }: Scene): Promise<void> {
    await server.plane.store.transaction('test', ({ db }) =>
      db.updateTable('infras').set({ active: 0 }).where('id', '=', agent.infraID).execute(),
    );
  }

  test('getPodLog, podLog: the agent is asked, and its text is the answer of a POST', async () => {
    const of = await scene();
    const { server, owner, agent, url, logRequest } = of;
    await using socket = await AgentSocket.connect(url, agent);
    const asked = server.data(GET_LOG, { r: logRequest }, owner);
    const { requestType, requestID, externalData } = await socket.action();
    assert.equal(requestType, 'logs');
    assert.deepEqual(JSON.parse(externalData ?? ''), logRequest);

    const log = '{"mainLogs":"a \\"b\\"\\n"}';
    const said = { infraID: agent, requestID, experimentRunID: 'run', podName: 'pod', podType: 'Pod', log };
    const other = await server.agent(await server.project([]), 'foreign');
    const foreign = await server.data(POD_LOG, { r: { ...said, infraID: other, log: 'forged' } });
    assert.equal(foreign.podLog, 'LOG REQUEST CANCELLED');
    assert.equal((await server.data(POD_LOG, { r: said })).podLog, 'LOGS SENT SUCCESSFULLY');
    assert.deepEqual(await asked, {
      getPodLog: { experimentRunID: 'run', podName: 'pod', podType: 'Pod', log },
    });
    assert.equal((await server.data(POD_LOG, { r: said })).podLog, 'LOG REQUEST CANCELLED');
  });

  test('getPodLog in pieces: each is an event, until the last; who goes away ends it for the agent', async () => {
    const of = await scene();
    const { server, agent, url, logRequest } = of;
    await using socket = await AgentSocket.connect(url, agent);
    const logs: string[] = [];
    const r = { ...logRequest, pieces: true, follow: true, tailLines: 5 };
    const ended = stream(of, GET_LOG, r, (log) => logs.push(log));
    const { requestID, externalData } = await socket.action();
    assert.deepEqual(JSON.parse(externalData ?? ''), r);
    const pieces = [0, 1, 2].map((piece) =>
      JSON.stringify({ mainLogs: `line ${piece}\n`, piece, isLast: piece === 2 }),
    );
    for (const log of pieces) {
      const said = { infraID: agent, requestID, experimentRunID: 'run', podName: 'pod', podType: 'Pod', log };
      assert.equal((await server.data(POD_LOG, { r: said })).podLog, 'LOGS SENT SUCCESSFULLY');
    }
    await ended;
    assert.deepEqual(logs, pieces);
    const refused: string[] = [];
    await stream(of, GET_LOG, { ...logRequest, follow: true }, (text) => refused.push(text));
    assert.match(refused.join(''), /follow needs pieces: true/);
  });

  test('getKubeObject, kubeObj, getKubeNamespace, kubeNamespace: what the agent has listed', async () => {
    const { server, owner, agent, url } = await scene();
    const { infraID } = agent;
    await using socket = await AgentSocket.connect(url, agent);
    const kubeObjRequest = { group: 'apps', version: 'v1', resource: 'deployments' };
    const request = { infraID, namespace: 'shop', objectType: 'delete', kubeObjRequest };
    const objects = server.data(GET_OBJECTS, { r: request }, owner);
    const first = await socket.action();
    assert.equal(first.requestType, 'kubeobject');
    assert.deepEqual(JSON.parse(first.externalData ?? ''), request);
    const service = { selector: ['app=web'], ports: [{ name: 'http', port: 8080 }] };
    const listed = [
      { name: 'web', uid: 'u', labels: ['app=web'] },
      { name: 'front', labels: [], service },
      // What no port can be is left out.
      { name: 'odd', labels: [], service: { selector: null, ports: [{ port: '80' }, { port: 70_000 }, 1] } },
    ];
    const kubeObj = JSON.stringify({ namespace: 'litmus', data: listed });
    const said = { infraID: agent, requestID: first.requestID, kubeObj };
    assert.equal((await server.data(KUBE_OBJ, { r: said })).kubeObj, 'KubeData sent successfully');
    assert.deepEqual(await objects, {
      getKubeObject: {
        infraID,
        kubeObj: {
          namespace: 'litmus',
          data: [
            { name: 'web', labels: ['app=web'], service: null },
            { name: 'front', labels: [], service },
            { name: 'odd', labels: [], service: { selector: [], ports: [] } },
          ],
        },
      },
    });

    const namespaces = server.data(GET_NAMESPACES, { r: { infraID } }, owner);
    const second = await socket.action();
    assert.equal(second.requestType, 'namespace');
    const names = { infraID: agent, requestID: second.requestID, kubeNamespace: '[{"name":"shop"}]' };
    assert.equal(
      (await server.data(KUBE_NAMESPACE, { r: names })).kubeNamespace,
      'KubeData sent successfully',
    );
    assert.deepEqual(await namespaces, { getKubeNamespace: { infraID, kubeNamespace: [{ name: 'shop' }] } });
  });

  test('the server waits for a silent agent up to its limit, and withdraws the question then', async () => {
    const clock = new FakeClock();
    const server = await TestServer.start(database, { clock });
    const owner = await server.user('olga');
    const agent = await server.agent(await server.project([[owner, 'Owner']]));
    await using socket = await AgentSocket.connect(await server.listen(), agent);
    const asked = server.graphql(GET_NAMESPACES, { r: { infraID: agent.infraID } }, owner);
    const { requestID } = await socket.action();
    await clock.advance(45_000);
    const { errors } = await asked;
    assert.deepEqual(
      errors.map(({ message, extensions }) => [message, extensions?.code]),
      [['the agent of the infrastructure has not answered for 45 s', 'timed-out']],
    );
    const names = { infraID: agent, requestID, kubeNamespace: '[{"name":"late"}]' };
    await server.data(KUBE_NAMESPACE, { r: names });
    assert.deepEqual(await server.plane.store.read.selectFrom('replies').select('seq').execute(), []);
  });

  test('of an agent that is not connected nothing is waited for, and strangers learn nothing', async () => {
    const of = await scene();
    const { server, owner, agent, logRequest } = of;
    const { infraID } = agent;
    await disconnected(of);
    const log = await server.data(GET_LOG, { r: logRequest }, owner);
    assert.deepEqual(log.getPodLog, {
      ...{ experimentRunID: 'run', podName: 'pod', podType: 'Pod' },
      log: 'INFRA ERROR : INFRA NOT CONNECTED',
    });
    const objects = await server.data(
      GET_OBJECTS,
      { r: { infraID, namespace: 'shop', objectType: 'kubeobject' } },
      owner,
    );
    assert.deepEqual(objects.getKubeObject, { infraID, kubeObj: { namespace: 'shop', data: [] } });
    const names = await server.data(GET_NAMESPACES, { r: { infraID } }, owner);
    assert.deepEqual(names.getKubeNamespace, { infraID, kubeNamespace: [] });

    const stranger = await server.user('stan');
    const { errors } = await server.graphql(GET_LOG, { r: logRequest }, stranger);
    assert.match(errors[0]?.message ?? '', /^permission_denied:/);
  });
});
