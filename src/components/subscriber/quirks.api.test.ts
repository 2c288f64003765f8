/** What servers and what stands between do: each event arrives all the same, and each action that comes is done. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { KubeObject, Service } from '@turnsole/kube/kinds/core';
import { SERVICES } from '@turnsole/kube/kinds/resources';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Reply } from './testing/control-plane.ts';
import { defineRunKinds, INFRA_ID } from './testing/infrastructure.ts';
import { openScene, type Scene, untilLogged, workflow } from './testing/scene.ts';

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
  await defineRunKinds(api.client);
});
after(() => api[Symbol.asyncDispose]());

const OVER = {
  status: { phase: 'Succeeded', startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:09Z' },
};

function createRun({ namespace }: Scene, name: string, change: object = OVER): Promise<KubeObject> {
  return api.client.create<KubeObject>(WORKFLOWS, workflow(name, change), { namespace });
}

/** Names of the runs that were reported to the server, in order. */
function runsOf({ server }: Scene): unknown[] {
  return server.of('chaosExperimentRun').map(({ request }) => request.experimentName);
}

const ODD: readonly (readonly [name: string, reply: Reply])[] = [
  ['an error with 200', { errors: ['cannot decode'] }],
  ['an error with 500', { status: 500, body: '{"errors":[{"message":"panic"}]}' }],
  ['a page with 200', { status: 200, body: '<html>sign in</html>' }],
  ['a page with 502', { status: 502, body: '<html>bad gateway</html>' }],
  ['half an answer', 'half'],
  ['an empty answer', { status: 200, body: '' }],
  ['an answer that is no GraphQL', { status: 200, body: '{"ok":true}' }],
  ['no word on what it did', { data: null }],
  ['too much', { status: 429, body: '{}' }],
];

for (const [name, odd] of ODD) {
  test(`an event arrives at a server that answers with ${name} at first`, async () => {
    let tries = 0;
    await using world = await openScene(api, {
      reply: ({ field }) => (field === 'chaosExperimentRun' && ++tries <= 2 ? odd : undefined),
    });
    await createRun(world, 'run');
    await world.server.until(() => tries === 3);
    assert.deepEqual(runsOf(world), ['run', 'run', 'run']);
    const bodies = world.server.of('chaosExperimentRun').map(({ request }) => request.executionData);
    assert.deepEqual(new Set(bodies).size, 1);
  });
}

for (const [name, end] of [
  ['no experiment', { data: 'no experiment found with experimentID: e, experiment run discarded: r' }],
  [
    'a run that is complete',
    {
      errors: ['experiment run has been discarded due the duplicate event, workflowId: e, workflowRunId: r'],
    },
  ],
] as const) {
  test(`a run is not reported any more after the answer: ${name}`, async () => {
    await using world = await openScene(api, {
      reply: ({ request }) => (request.experimentName === 'unwanted' ? end : undefined),
    });
    await createRun(world, 'unwanted');
    await untilLogged(world, 'the server wants no more of a run');
    await createRun(world, 'wanted');
    await world.server.until(() => runsOf(world).includes('wanted'));
    assert.deepEqual(runsOf(world), ['unwanted', 'wanted']);
  });
}

test('runs of other infrastructures, or from before this one, are not reported', async () => {
  await using world = await openScene(api, { env: { START_TIME: String(Date.now() - 3_600_000) } });
  const { infra_id, ...others } = (workflow('x') as { metadata: { labels: Record<string, string> } }).metadata
    .labels;
  const without = (name: string, labels: object): Promise<KubeObject> =>
    createRun(world, name, { ...OVER, metadata: { name, labels } });
  await without('of-nobody', others);
  await without('of-another', { ...others, infra_id: 'another' });
  await without('of-no-experiment', { ...others, infra_id, workflow_id: undefined });
  await createRun(world, 'ours');
  await world.server.until(() => runsOf(world).length > 0);
  assert.deepEqual(runsOf(world), ['ours']);
  await using late = await openScene(api, {
    env: { START_TIME: String(Date.now() + 3_600_000) },
    prepare: (namespace) => api.client.create(WORKFLOWS, workflow('too-early', OVER), { namespace }),
  });
  await late.server.until(() => late.server.isSubscribed);
  await late.subscriber.stop();
  assert.deepEqual(runsOf(late), []);
});

const UNREADABLE = [
  '',
  '{"type":"data","payload":{"data":{"infraCon',
  '<html>',
  '[]',
  '{"type":"something new"}',
  '{"type":"data","payload":{"data":null}}',
  '{"type":"data","payload":{"data":{"infraConnect":{"action":7}}}}',
  '{"type":"ka"}',
];

test('unknown messages cost none of the actions around them', async () => {
  await using world = await openScene(api, { protocols: ['graphql-ws'] });
  const { server } = world;
  await server.until(() => server.isSubscribed);
  for (const [index, text] of UNREADABLE.entries()) {
    server.sendText(text);
    server.act({ requestType: 'namespace', requestID: `n-${index}` });
  }
  await server.until(() => server.of('kubeNamespace').length === UNREADABLE.length);
  assert.equal(server.offered.length, 1);
});

test('actions that are none are refused by name, and the empty one does nothing', async () => {
  await using world = await openScene(api, { ackPayload: { turnsole: { actionResults: true } } });
  const { server } = world;
  await server.until(() => server.isSubscribed);
  for (const requestType of ['', 'kube', '__proto__', 'drop', 'WORKFLOW_RUN_STOP']) {
    server.act({ requestType, requestID: requestType });
  }
  await server.until(() => server.of('infraActionResult').length === 5);
  const results = server.of('infraActionResult').map(({ request }) => [request.requestID, request.message]);
  const messages = Object.fromEntries(results) as Record<string, string>;
  assert.match(messages[''] ?? '', /^the request type "" is not known; known are create, update/);
  assert.match(messages.kube ?? '', /^the request type "kube" is not known/);
  assert.match(messages.drop ?? '', /^the request type "drop" is not known/);
  // Capitals do not matter.
  assert.equal(messages.WORKFLOW_RUN_STOP, 'the request names no run');
});

for (const [name, end] of [
  ['another agent has displaced it', ({ server }: Scene) => server.complete()],
  [
    'it has displaced another agent',
    ({ server }: Scene) => server.send({ errors: [{ message: 'CLUSTER ALREADY CONNECTED' }], data: null }),
  ],
  ['the connection is cut', ({ server }: Scene) => server.cut()],
  [
    'an action is larger than any may be',
    ({ server }: Scene) => server.sendText('x'.repeat(17 * 1024 * 1024)),
  ],
] as const) {
  test(`it is connected again when ${name}`, async () => {
    await using world = await openScene(api);
    const { server } = world;
    await server.until(() => server.isSubscribed);
    const connections = server.offered.length;
    end(world);
    await server.until(() => server.offered.length > connections && server.isSubscribed);
    server.act({ requestType: 'namespace', requestID: 'n' });
    await server.until(() => server.of('kubeNamespace').length === 1);
  });
}

test('a listing that cannot be had is answered, with null', async () => {
  await using world = await openScene(api);
  const { server, namespace } = world;
  await server.until(() => server.isSubscribed);
  const wanted = [
    'no JSON',
    '{}',
    JSON.stringify({ namespace, kubeObjRequest: { group: 'gone.io', version: 'v1', resource: 'things' } }),
    JSON.stringify({ namespace, kubeObjRequest: { group: '', version: 'v1', resource: '../secrets' } }),
    JSON.stringify({ namespace: 'kube-system', kubeObjRequest: { version: 'v1', resource: 'pods' } }),
    JSON.stringify({ namespace, kubeObjRequest: { version: 'v1', resource: 'pods' } }),
  ];
  for (const [index, externalData] of wanted.entries()) {
    server.act({ requestType: 'kubeobjects', requestID: String(index), externalData });
  }
  await server.until(() => server.of('kubeObj').length === wanted.length);
  const answers = new Map(
    server
      .of('kubeObj')
      .map(({ request }) => [request.requestID, JSON.parse(String(request.kubeObj)) as unknown]),
  );
  const nothing = { namespace, data: null };
  assert.deepEqual(
    wanted.slice(0, 5).map((_, index) => answers.get(String(index))),
    [nothing, nothing, nothing, nothing, nothing],
  );
  const { data } = answers.get('5') as { data: { name: string; labels: string[] }[] };
  assert.deepEqual(
    data.map(({ name, labels }) => [name, labels]),
    [['component', ['app=workflow-controller']]],
  );
});

test('of services it is said whom they select, and on which ports for TCP they listen', async () => {
  await using world = await openScene(api);
  const { server, namespace } = world;
  const ports = [
    { name: 'http', port: 8080 },
    { name: 'dns', port: 53, protocol: 'UDP' },
  ];
  const spec = { selector: { app: 'web', tier: 'front' }, ports };
  await api.client.create<Service>(SERVICES, { metadata: { name: 'front' }, spec }, { namespace });
  await server.until(() => server.isSubscribed);
  const kubeObjRequest = { group: '', version: 'v1', resource: 'services' };
  const externalData = JSON.stringify({ namespace, kubeObjRequest });
  server.act({ requestType: 'kubeobjects', requestID: 's', externalData });
  await server.until(() => server.of('kubeObj').length === 1);
  const { data } = JSON.parse(String(server.of('kubeObj')[0]?.request.kubeObj)) as {
    data: { name: string; service: unknown }[];
  };
  assert.deepEqual(
    data.map(({ name, service }) => ({ name, service })),
    [
      {
        name: 'front',
        service: { selector: ['app=web', 'tier=front'], ports: [{ name: 'http', port: 8080 }] },
      },
    ],
  );
});

test('keys stand neither in the log nor in what is stored', async () => {
  await using world = await openScene(api, {
    reply: ({ field }) => (field === 'chaosExperimentRun' ? { status: 503, body: '' } : undefined),
  });
  const { server, subscriber } = world;
  await createRun(world, 'run');
  await server.until(() => runsOf(world).length === 1);
  const stored = await readFile(`${subscriber.env.SPOOL_DIR}/spool`, 'latin1');
  const { infraID } = server.of('chaosExperimentRun')[0]?.request ?? {};
  const { accessKey } = infraID as { accessKey: string };
  assert.equal(typeof accessKey, 'string');
  assert.ok(stored.includes('experiment-1') && !stored.includes(accessKey));
  assert.ok(!subscriber.lines.join('').includes(accessKey));
  assert.ok(!subscriber.lines.join('').includes(Buffer.from(accessKey).toString('base64')));
  assert.equal((infraID as { infraID: string }).infraID, INFRA_ID);
});
