/** The whole subscriber against an API server and a control plane that speaks ChaosCenter's wire. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { ConfigMap, KubeObject, Secret } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, PODS, SECRETS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { CHAOS_ENGINES, CHAOS_RESULTS } from '../../api/resources.ts';
import { type ControlPlaneOptions, NEW_KEY } from './testing/control-plane.ts';
import { defineRunKinds, FIRST_KEY, INFRA_ID } from './testing/infrastructure.ts';
import { eventOf, openScene, type Scene, workflow } from './testing/scene.ts';

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
  await defineRunKinds(api.client);
});
after(() => api[Symbol.asyncDispose]());

const scene = (options: ControlPlaneOptions = {}): Promise<Scene> => openScene(api, options);

for (const [dialect, protocols, subscribe] of [
  ['the present dialect', ['graphql-transport-ws', 'graphql-ws'], 'subscribe'],
  ['the legacy dialect', ['graphql-ws'], 'start'],
  ['no sub-protocol at all', [], 'start'],
] as const) {
  test(`registers once, then subscribes, with a server that knows ${dialect}`, async () => {
    await using world = await scene({ protocols });
    const { server, namespace } = world;
    await server.until(() => server.isSubscribed);
    const [confirmation, ...more] = server.of('confirmInfraRegistration');
    assert.deepEqual(confirmation?.request, { infraID: INFRA_ID, version: '3.31.0', accessKey: FIRST_KEY });
    assert.deepEqual(more, []);
    const frame = server.frames.at(-1);
    assert.equal(frame?.type, subscribe);
    const { variables } = (frame?.payload ?? {}) as { variables?: unknown };
    assert.deepEqual(variables, { request: { infraID: INFRA_ID, version: '3.31.0', accessKey: NEW_KEY } });
    const secret = await api.client.get<Secret>(SECRETS, 'subscriber-secret', { namespace });
    assert.equal(Buffer.from(secret.data?.ACCESS_KEY ?? '', 'base64').toString(), NEW_KEY);
    const config = await api.client.get<ConfigMap>(CONFIG_MAPS, 'subscriber-config', { namespace });
    assert.equal(config.data?.IS_INFRA_CONFIRMED, 'true');
    await world.subscriber.stop();
    const log = world.subscriber.lines.join('');
    for (const secretText of [FIRST_KEY, NEW_KEY])
      assert.ok(!log.includes(secretText), 'a key is in the log');
  });
}

test('reports a run: as it changes, with the facts about its engine, and at its end', async () => {
  await using world = await scene();
  const { server, namespace } = world;
  const place = { namespace };
  const created = await api.client.create<KubeObject>(WORKFLOWS, workflow('run-1'), place);
  const uid = created.metadata.uid ?? '';
  await server.until(() => server.of('chaosExperimentRun').length === 1);
  const engine = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name: 'engine-1', labels: { workflow_run_id: uid, context: 'shop' } },
    spec: { engineState: 'active' },
    status: {
      engineStatus: 'completed',
      experiments: [
        {
          name: 'pod-delete',
          runner: 'r',
          experimentPod: 'e',
          status: 'Completed',
          verdict: 'Pass',
          lastUpdateTime: '2026-01-01T00:00:09Z',
        },
      ],
    },
  };
  await api.client.create(CHAOS_ENGINES, engine as never, place);
  const result = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosResult',
    metadata: { name: 'engine-1-pod-delete', annotations: { a: 'b' } },
    status: {
      experimentStatus: { phase: 'Completed', verdict: 'Pass', probeSuccessPercentage: 'rather many' },
    },
  };
  await api.client.create(CHAOS_RESULTS, result as never, place);
  const startedAt = '2026-01-01T00:00:00Z';
  const node = {
    id: 'run-1-123',
    name: 'run-1[0].chaos',
    displayName: 'chaos',
    type: 'Pod',
    phase: 'Succeeded',
    message: 'said "so"',
    startedAt,
    finishedAt: '2026-01-01T00:00:10Z',
    inputs: {
      artifacts: [{ name: 'chaos', raw: { data: JSON.stringify({ ...engine, status: undefined }) } }],
    },
  };
  const root = {
    id: 'run-1',
    name: 'run-1',
    displayName: 'run-1',
    type: 'Steps',
    phase: 'Succeeded',
    startedAt,
    children: ['run-1-123'],
  };
  const status = {
    phase: 'Succeeded',
    startedAt,
    finishedAt: '2026-01-01T00:00:11Z',
    nodes: { 'run-1-123': node, 'run-1': root },
  };
  await api.client.patch(WORKFLOWS, 'run-1', 'merge', { status }, place);
  await server.until(() => server.of('chaosExperimentRun').some(({ request }) => request.completed === true));
  const last = server.of('chaosExperimentRun').at(-1);
  assert.ok(last !== undefined);
  const { executionData, infraID, ...request } = last.request;
  assert.deepEqual(request, {
    experimentID: 'experiment-1',
    experimentRunID: uid,
    experimentName: 'run-1',
    revisionID: 'revision-1',
    notifyID: 'notify-1',
    completed: true,
    updatedBy: '',
  });
  assert.deepEqual(infraID, { infraID: INFRA_ID, version: '3.31.0', accessKey: NEW_KEY });
  const event = eventOf(last);
  assert.deepEqual(Object.keys(event.nodes), ['run-1', 'run-1-123']);
  assert.equal(event.phase, 'Completed');
  assert.equal(event.finishedAt, '1767225611');
  const reported = event.nodes['run-1-123'];
  assert.equal(reported?.type, 'ChaosEngine');
  assert.equal(reported.message, 'said so');
  assert.equal(reported.chaosData?.experimentVerdict, 'Pass');
  assert.equal(reported.chaosData.faultVerdict, 'Pass');
  assert.equal(reported.chaosData.engineContext, 'shop');
  assert.equal(reported.chaosData.probeSuccessPercentage, '0');
  assert.equal(reported.chaosData.chaosResult?.metadata.annotations, undefined);
});

test('a stop is carried out while a log is being sent, and a server that wants its outcome gets it', async () => {
  await using world = await scene({
    ackPayload: { turnsole: { actionResults: true } },
    // A log that never gets its answer.
    reply: ({ field }) => (field === 'podLog' ? 'silence' : undefined),
  });
  const { server, namespace } = world;
  const place = { namespace };
  const created = await api.client.create<KubeObject>(WORKFLOWS, workflow('run-2'), place);
  const uid = created.metadata.uid ?? '';
  const engine = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name: 'engine-2', labels: { workflow_run_id: uid } },
    spec: { engineState: 'active' },
  };
  await api.client.create(CHAOS_ENGINES, engine as never, place);
  await server.until(() => server.isSubscribed);
  const externalData = JSON.stringify({
    podName: 'component',
    podNamespace: namespace,
    podType: 'Pod',
    experimentRunID: uid,
  });
  server.act({ requestType: 'logs', requestID: 'l-1', externalData });
  await server.until(() => server.of('podLog').length === 1);
  server.act({ requestType: 'workflow_run_stop', requestID: 's-1', externalData: uid });
  await server.until(() => server.of('infraActionResult').length === 1);
  const [answer] = server.of('infraActionResult');
  assert.equal(answer?.request.requestID, 's-1');
  assert.equal(answer.request.isDone, true);
  assert.equal(answer.request.message, 'Workflow run-2 and 1 engines stopped');
  const limit = { ...place, timeoutMs: PATIENCE_MS };
  await waitForObject(
    api.client,
    WORKFLOWS,
    'run-2',
    (one) => (one as { spec?: { shutdown?: string } })?.spec?.shutdown === 'Stop',
    limit,
  );
  await waitForObject(
    api.client,
    CHAOS_ENGINES,
    'engine-2',
    (one) => (one as { spec?: { engineState?: string } })?.spec?.engineState === 'stop',
    limit,
  );
});

test('a server that asks for more gets the list of answered requests, and the pods of a run', async () => {
  await using world = await scene({ ackPayload: { turnsole: { ownRequests: true } } });
  const { server, namespace } = world;
  const place = { namespace };
  for (const [name, uid] of [
    ['web-runner', 'uid-1'],
    ['other', 'uid-2'],
  ] as const) {
    const metadata = { name, labels: { chaosUID: uid } };
    const spec = { containers: [{ name: 'chaos', image: 'none' }] };
    await api.client.create(PODS, { apiVersion: 'v1', kind: 'Pod', metadata, spec } as never, place);
  }
  await server.until(() => server.isSubscribed);
  const { payload } = server.frames.find(({ type }) => type === 'subscribe' || type === 'start') ?? {};
  assert.match(JSON.stringify(payload), /answers: \[\\"run_pods\\"/);
  const places = [
    { namespace, engineUID: 'uid-1' },
    { namespace, engineUID: 'uid-1,app=web' },
    { namespace: 'elsewhere', engineUID: 'uid-1' },
    7,
  ];
  server.act({ requestType: 'run_pods', requestID: 'p-1', externalData: JSON.stringify({ places }) });
  server.act({ requestType: 'run_pods', requestID: 'p-2', externalData: 'pods' });
  await server.until(() => server.of('agentReply').length === 2);
  const [first, second] = ['p-1', 'p-2'].map((id) => {
    const { request } = server.of('agentReply').find((one) => one.request.requestID === id) ?? {};
    return JSON.parse(String(request?.reply));
  });
  assert.deepEqual(
    first.answer.pods.map(({ startedAt, ...pod }: { startedAt: string }) => pod),
    [{ namespace, name: 'web-runner', containers: ['chaos'], phase: 'Pending' }],
  );
  assert.match(first.answer.problems.join(), /namespace elsewhere is not/);
  assert.deepEqual(second, { problem: 'externalData is no JSON object' });
});
