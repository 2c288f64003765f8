/** Replicas that start together, against the embedded API server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { SECRETS, VALIDATING_WEBHOOK_CONFIGURATIONS } from '@turnsole/kube/kinds/resources';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { changedClient } from '@turnsole/kube/testing/changed-client';
import { ensureIdentity, type Identity } from './identity.ts';

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
});
after(() => api[Symbol.asyncDispose]());

const webhook = (name: string): object => ({
  name: `${name}.turnsole.io`,
  clientConfig: { service: { name: 'turnsole-webhook', namespace: 'default', path: '/' } },
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
});

/** The client, whose first patch is preceded by something. */
function beforePatch(client: KubeClient, first: () => Promise<unknown>): KubeClient {
  let isFirst = true;
  const patch: KubeClient['patch'] = async (...parameters) => {
    if (isFirst) {
      isFirst = false;
      await first();
    }
    return client.patch(...parameters);
  };
  return changedClient(client, { patch });
}

interface Place {
  readonly namespace: string;
  readonly service: string;
  readonly secret: string;
  readonly configuration: string;
}

/** The Secret and the configuration as the installer makes them. */
async function installed(name: string): Promise<Place> {
  await api.client.create(SECRETS, { metadata: { name } }, { namespace: 'default' });
  const configuration = { metadata: { name }, webhooks: [webhook('a'), webhook('b')] };
  await api.client.create(VALIDATING_WEBHOOK_CONFIGURATIONS, configuration);
  return { namespace: 'default', service: 'turnsole-webhook', secret: name, configuration: name };
}

async function assertTrusted({ configuration }: Place, { authorities }: Identity): Promise<void> {
  const found = await api.client.get<KubeObject & { webhooks: { clientConfig: { caBundle?: string } }[] }>(
    VALIDATING_WEBHOOK_CONFIGURATIONS,
    configuration,
  );
  const caBundle = Buffer.from(authorities).toString('base64');
  assert.deepEqual(
    found.webhooks.map(({ clientConfig }) => clientConfig.caBundle),
    [caBundle, caBundle],
  );
}

const ensure = (client: KubeClient, place: Place): Promise<Identity> =>
  ensureIdentity(client, place, Date.now(), new AbortController().signal);

test('replicas that start at the same time have the same identity, which the API server trusts', async () => {
  for (let round = 0; round < 20; round++) {
    const place = await installed(`webhook-${round}`);
    const [first, second] = await Promise.all([ensure(api.client, place), ensure(api.client, place)]);
    assert.deepEqual(first, second);
    await assertTrusted(place, first);
  }
});

test('a replica that finds the configuration written by another one in between goes on with it', async () => {
  const place = await installed('overtaken');
  let other: Identity | undefined;
  const overtaken = beforePatch(api.client, async () => {
    other = await ensure(api.client, place);
  });
  const own = await ensure(overtaken, place);
  assert.deepEqual(own, other);
  await assertTrusted(place, own);
});
