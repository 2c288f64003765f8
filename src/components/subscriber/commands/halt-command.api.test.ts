/** The lever as a control plane pulls it, against an API server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { systemClock } from '@turnsole/kube/base/clock';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, NAMESPACES } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { CHAOS_ENGINES, CHAOS_RESULTS } from '../../../api/resources.ts';
import { defineRunKinds } from '../testing/infrastructure.ts';
import { engine } from '../testing/scene.ts';
import { type HaltContext, haltChaos, resumeChaos } from './halt-command.ts';

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
  await defineRunKinds(api.client);
});
after(() => api[Symbol.asyncDispose]());

const limit = (): AbortSignal => AbortSignal.timeout(PATIENCE_MS);

async function place(namespace: string): Promise<{ readonly namespace: string }> {
  await api.client.create(NAMESPACES, { metadata: { name: namespace } });
  const entry = {
    id: 'i',
    fault: 'pod-delete',
    target: { kind: 'Pod', namespace, name: 'web' },
    state: 'injected',
  };
  await api.client.create(CHAOS_ENGINES, engine('e', {}, { engineStatus: 'initialized' }), { namespace });
  const result = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosResult',
    metadata: { name: 'e-pod-delete' },
    status: { ledger: { i: entry } },
  };
  await api.client.create(CHAOS_RESULTS, result as never, { namespace });
  return { namespace };
}

const context = (namespace: string, more: Partial<HaltContext> = {}): HaltContext => ({
  ...{ client: api.client, clock: systemClock, namespace, isClusterScoped: false },
  ...more,
});

test('halt: the lever is pulled, and reverts are reported when they are done', async () => {
  const at = await place('one');
  const halted = haltChaos('{"reason":"sale","by":"olga"}', context('one'), limit());
  const isThere = (lever: ConfigMap | undefined): boolean => lever !== undefined;
  const lever = await waitForObject<ConfigMap>(api.client, CONFIG_MAPS, 'turnsole-halt', isThere, {
    ...at,
    timeoutMs: PATIENCE_MS,
  });
  assert.deepEqual([lever?.data?.reason, lever?.data?.by], ['sale', 'olga']);
  // What the operator and the experiment do.
  await api.client.patch(CHAOS_ENGINES, 'e', 'merge', { status: { engineStatus: 'stopped' } }, at);
  const reverted = { status: { ledger: { i: { state: 'reverted' } } } };
  await api.client.patch(CHAOS_RESULTS, 'e-pod-delete', 'merge', reverted, at);
  const { isDone, message } = await halted;
  assert.equal(isDone, true);
  assert.deepEqual(JSON.parse(message), { reverted: ['pod-delete on Pod one/web'], left: [] });

  const again = await haltChaos('{"reason":"still","by":"olga"}', context('one'), limit());
  assert.deepEqual(JSON.parse(again.message), { reverted: [], left: [] });
  assert.equal((await resumeChaos(context('one'), limit())).isDone, true);
  assert.equal((await resumeChaos(context('one'), limit())).isDone, true);
  const { items } = await api.client.list(CONFIG_MAPS, {
    ...at,
    fieldSelector: 'metadata.name=turnsole-halt',
  });
  assert.deepEqual(items, []);
});

test('halt: reports what is not reverted in time', async () => {
  await place('two');
  const { isDone, message } = await haltChaos('', context('two', { limitMs: 300 }), limit());
  assert.equal(isDone, false);
  assert.deepEqual(JSON.parse(message), {
    reverted: [],
    left: ['pod-delete on Pod two/web', 'run of ChaosEngine two/e'],
  });
});
