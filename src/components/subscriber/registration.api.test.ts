/** Registration, and what becomes of keys, against an API server and a control plane. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { Secret } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, PODS, SECRETS } from '@turnsole/kube/kinds/resources';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { NEW_KEY, type Reply } from './testing/control-plane.ts';
import { defineRunKinds, FIRST_KEY } from './testing/infrastructure.ts';
import { openScene, untilLogged, workflow } from './testing/scene.ts';

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
  await defineRunKinds(api.client);
});
after(() => api[Symbol.asyncDispose]());

const CONFIRMED = { data: { IS_INFRA_CONFIRMED: 'true' } };

function storeKey(namespace: string, key: string): Promise<unknown> {
  const data = { ACCESS_KEY: Buffer.from(key).toString('base64') };
  return api.client.patch(SECRETS, 'subscriber-secret', 'merge', { data }, { namespace });
}

async function storedKey(namespace: string): Promise<string> {
  const secret = await api.client.get<Secret>(SECRETS, 'subscriber-secret', { namespace });
  return Buffer.from(secret.data?.ACCESS_KEY ?? '', 'base64').toString();
}

test('a confirmed infrastructure is connected at once, also when one of its components does not run', async () => {
  await using world = await openScene(api, {
    env: { COMPONENTS: 'DEPLOYMENTS: ["app=event-tracker"]' },
    prepare: async (namespace) => {
      await api.client.patch(CONFIG_MAPS, 'subscriber-config', 'merge', CONFIRMED, { namespace });
    },
  });
  const { server } = world;
  await server.until(() => server.isSubscribed);
  assert.deepEqual(server.of('confirmInfraRegistration'), []);
});

test('an infrastructure is confirmed when its component is ready, and not before', async () => {
  const isReady = (ready: boolean) => ({
    status: { phase: 'Running', containerStatuses: [{ name: 'main', ready }] },
  });
  const options = (namespace: string) => ({ namespace, subresource: 'status' }) as const;
  await using world = await openScene(api, {
    prepare: (namespace) => api.client.patch(PODS, 'component', 'merge', isReady(false), options(namespace)),
  });
  const { server, namespace } = world;
  // Its look at the pods has been answered when its watch reports this change, after which it asks the server.
  await api.client.patch(
    PODS,
    'component',
    'merge',
    { metadata: { labels: { seen: 'yes' } } },
    { namespace },
  );
  assert.deepEqual(server.received, []);
  await api.client.patch(PODS, 'component', 'merge', isReady(true), options(namespace));
  await server.until(() => server.isSubscribed);
  assert.equal(server.of('confirmInfraRegistration').length, 1);
});

const ODD_ANSWERS: readonly (readonly [name: string, reply: Reply, said: string])[] = [
  [
    'another version',
    { errors: ['ERROR: INFRA VERSION MISMATCH (need 4.0.0 got 3.31.0)'] },
    'need 4.0.0 got 3.31.0',
  ],
  [
    'a wrong key',
    { data: { isInfraConfirmed: false, newAccessKey: null, infraID: null } },
    'apply the manifest',
  ],
  ['a page', { status: 200, body: '<html>Welcome</html>' }, 'Welcome'],
  ['half an answer', 'half', 'cannot reach'],
  [
    'an answer that was cut in the middle of the new key',
    { status: 200, body: `{"data":{"confirmInfraRegistration":{"newAccessKey":"${NEW_KEY}` },
    'only a part of one',
  ],
  [
    'errors that repeat the key',
    { errors: [`cannot use {"accessKey":"${FIRST_KEY}"}`] },
    'cannot use {\\"accessKey\\":\\"***\\"}',
  ],
];

for (const [name, odd, said] of ODD_ANSWERS) {
  test(`${name} is reported, does not prevent another try, and shows no key`, async () => {
    await using world = await openScene(api, { reply: () => odd });
    const { server, subscriber, namespace } = world;
    await untilLogged(world, 'it is tried again');
    assert.ok(
      subscriber.lines.some((line) => line.includes(said)),
      subscriber.lines.join(''),
    );
    assert.equal(await storedKey(namespace), FIRST_KEY);
    server.reply = () => undefined;
    await server.until(() => server.isSubscribed);
    assert.equal(await storedKey(namespace), NEW_KEY);
    for (const key of [FIRST_KEY, NEW_KEY]) assert.ok(!subscriber.lines.join('').includes(key));
  });
}

test('an infrastructure that was registered anew goes on with the key of its Secret', async () => {
  const key = 'a-key-of-another-registration';
  let valid = NEW_KEY;
  await using world = await openScene(api, {
    reply: ({ field, request }) => {
      const { accessKey } = request.infraID as { accessKey?: string };
      const isRefused = field === 'chaosExperimentRun' && accessKey !== valid;
      return isRefused ? { errors: ['ERROR:  accessID MISMATCH'] } : undefined;
    },
  });
  const { server, namespace } = world;
  await server.until(() => server.isSubscribed);
  valid = key;
  await storeKey(namespace, key);
  await api.client.create(WORKFLOWS, workflow('run-1'), { namespace });
  await untilLogged(world, 'another key, which is used from now on');
  await server.until(() =>
    server
      .of('chaosExperimentRun')
      .some(({ request }) => (request.infraID as { accessKey: string }).accessKey === key),
  );
});
