/** Two subscribers of one infrastructure: one is active, by a Lease, and the other takes over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { LEASES } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { startApi } from '@turnsole/kube/testing/api';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { defineRunKinds, startSubscriber } from './testing/infrastructure.ts';
import { openScene, untilLogged, workflow } from './testing/scene.ts';

const ELECT = ['-leader-elect=true'];

test('a standby connects when the active one ends, and reports what happened in between', async () => {
  await using api = await startApi(createApiServer);
  await defineRunKinds(api.client);
  await using world = await openScene(api, { flags: ELECT });
  const { server, namespace } = world;
  await server.until(() => server.isSubscribed);
  await using standby = await startSubscriber(api.server.adminConfig, namespace, server.url, {}, ELECT);
  await untilLogged({ subscriber: standby }, 'another subscriber is active');
  assert.equal(server.offered.length, 1);
  assert.equal(server.of('confirmInfraRegistration').length, 1);

  // The active one cannot report it any more: its answer never comes.
  server.reply = ({ field }) => (field === 'chaosExperimentRun' ? { status: 503, body: '' } : undefined);
  await api.client.create(WORKFLOWS, workflow('run-1'), { namespace });
  await server.until(() => server.of('chaosExperimentRun').length > 0);
  const reportCount = server.of('chaosExperimentRun').length;
  assert.equal(await world.subscriber.stop(), 0);
  server.reply = () => undefined;
  await server.until(() => server.isSubscribed && server.of('chaosExperimentRun').length > reportCount);
  assert.equal(server.offered.length, 2);
  // Its own variable still holds the first key; that of the Secret is used.
  assert.equal(server.of('confirmInfraRegistration').length, 1);

  server.act({ requestType: 'namespace', requestID: 'n' });
  await server.until(() => server.of('kubeNamespace').length === 1);
  assert.equal(await standby.stop(), 0);
  const isFree = (lease: unknown): boolean =>
    ((lease as { spec?: { holderIdentity?: string } })?.spec?.holderIdentity ?? '') === '';
  const limit = { namespace, timeoutMs: PATIENCE_MS };
  await waitForObject(api.client, LEASES, 'turnsole-subscriber', isFree, limit);
});
