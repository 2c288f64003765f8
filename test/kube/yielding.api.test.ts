import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Lease, Pod } from '@turnsole/kube/kinds/core';
import { LEASES, PODS, SERVICE_ACCOUNTS } from '@turnsole/kube/kinds/resources';
import { UNREADY_MS } from '@turnsole/kube/runtime/peer-pods';
import { startYielding } from '@turnsole/kube/runtime/yielding';
import { startApi } from '@turnsole/kube/testing/api';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { until } from '@turnsole/kube/testing/until';

const NAME = 'peers';
const place = { namespace: 'default' };

/** A component that stands aside for a peer, and whose first start fails when the peer releases its lease. */
async function afterFailedStart(context: TestContext) {
  const api = await startApi(createApiServer);
  context.after(() => api[Symbol.asyncDispose]());
  const { client } = api;
  const clock = new FakeClock();
  const renewTime = new Date(clock.now()).toISOString();
  const spec = { holderIdentity: 'them', renewTime, leaseDurationSeconds: 3600 };
  await client.create<Lease>(LEASES, { metadata: { name: NAME }, spec }, place);
  const failed = Promise.withResolvers<void>();
  let starts = 0;
  let stops = 0;
  const component = await startYielding({
    client,
    clock,
    leaseName: NAME,
    start: async () => {
      starts += 1;
      if (starts === 1) {
        failed.resolve();
        throw new Error('it cannot start yet');
      }
      return { stop: async () => void (stops += 1) };
    },
  });
  await client.patch(LEASES, NAME, 'merge', { spec: { holderIdentity: '' } }, place);
  await failed.promise;
  return { clock, component, starts: () => starts, stops: () => stops };
}

test('work that could not be taken up when the peer had gone is tried again', async (context) => {
  const { clock, component, starts, stops } = await afterFailedStart(context);
  const isStartedAgain = async (): Promise<boolean> => {
    await clock.advance(1_000);
    return starts() > 1;
  };
  await until(isStartedAgain, 'the work is taken up');
  await component.stop();
  assert.deepEqual([starts(), stops()], [2, 1]);
});

test('a component whose work could not be taken up can be stopped', async (context) => {
  const { clock, component, starts } = await afterFailedStart(context);
  await component.stop();
  await clock.advance(60_000);
  assert.equal(starts(), 1);
});

/** A pod on a node that is not there, so that its status is what the test says. */
async function peerPod(client: KubeClient, name: string, reach: string): Promise<void> {
  const metadata = { name, labels: { peer: 'yes' }, annotations: { reach } };
  const spec = { nodeName: 'elsewhere', containers: [{ name: 'c', image: 'x' }] };
  await client.create<Pod>(PODS, { metadata, spec }, place);
}

async function peerStatus(
  client: KubeClient,
  name: string,
  isReady: boolean,
  startedAt: string,
): Promise<void> {
  const status = {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'c',
        ready: isReady,
        restartCount: 0,
        image: 'x',
        imageID: '',
        state: { running: { startedAt } },
      },
    ],
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime: startedAt }],
  };
  await client.patch(PODS, name, 'merge', { status }, { ...place, subresource: 'status' });
}

test('pods of peers have what is in their reach while they work, and never at the same time as the component', async (context) => {
  const api = await startApi(createApiServer);
  context.after(() => api[Symbol.asyncDispose]());
  const { client } = api;
  await client.create(SERVICE_ACCOUNTS, { metadata: { name: 'default' } }, place);
  const clock = new FakeClock();
  const now = (): string => new Date(clock.now()).toISOString();
  const shares: string[] = [];
  let working = 0;
  const component = await startYielding({
    client,
    clock,
    leaseName: NAME,
    peerPods: {
      selectors: ['peer', 'peer=yes'],
      reachOf: async ({ metadata }) => metadata.annotations?.reach,
    },
    start: async (without) => {
      assert.equal(working, 0, 'the work before has ended');
      working += 1;
      shares.push(without.join());
      return { stop: async () => void (working -= 1) };
    },
  });
  const shared = (share: string) =>
    until(() => shares.at(-1) === share && working === 1, `it works without "${share}"`);
  const isOff = () => until(() => working === 0, 'it stands aside');
  await shared('');
  await peerPod(client, 'shop', 'shop');
  await peerStatus(client, 'shop', true, now());
  await shared('shop');
  // Everywhere: from its start on, and not only when it is ready; never ready, it is no peer.
  await peerPod(client, 'all', '');
  await peerStatus(client, 'all', false, now());
  await isOff();
  await clock.advance(UNREADY_MS);
  await shared('shop');
  await peerStatus(client, 'all', true, now());
  await isOff();
  await client.delete(PODS, 'all', { ...place, gracePeriodSeconds: 0 });
  await shared('shop');
  // The lease of a namespace is that of the pod in it.
  const spec = { holderIdentity: 'them', renewTime: now(), leaseDurationSeconds: 60 };
  await client.create<Lease>(LEASES, { metadata: { name: NAME }, spec }, place);
  await client.delete(PODS, 'shop', { ...place, gracePeriodSeconds: 0 });
  // Its holder may still work, and it is not known where.
  await isOff();
  await clock.advance(60_000);
  await shared('');
  await component.stop();
  assert.equal(working, 0);
});
