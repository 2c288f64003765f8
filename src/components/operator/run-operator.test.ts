/** The operator as a pod runs it: flags, health, metrics, leader election, SIGTERM. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lease } from '@turnsole/kube/kinds/core';
import { LEASES } from '@turnsole/kube/kinds/resources';
import { silentLogger } from '@turnsole/kube/runtime/index';
import { engineOf, startStandIn } from '../../../test/support/stand-in-cluster.ts';
import { runOperator } from './run-operator.ts';

test('operator process: it leads, works, tells its health and metrics, and releases its lease', async (context) => {
  const cluster = await startStandIn(context, { operator: false });
  await cluster.experiment('pod-delete');
  const stop = new AbortController();
  const listening = Promise.withResolvers<{ readonly metrics?: number; readonly health?: number }>();
  const flags = [
    '-leader-elect',
    '-metrics-bind-address=127.0.0.1:0',
    '--health-probe-bind-address',
    '127.0.0.1:0',
  ];
  const exit = runOperator(
    flags,
    { WATCH_NAMESPACE: '' },
    {
      config: cluster.config,
      logger: silentLogger,
      signal: stop.signal,
      onListening: listening.resolve,
    },
  );
  const { metrics, health } = await listening.promise;
  await cluster.apply(engineOf('web', ['pod-delete']));
  await cluster.ended('web', 'completed');

  const text = async (port: number | undefined, path: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return `${response.status} ${await response.text()}`;
  };
  assert.equal(await text(health, '/healthz'), '200 ok\n');
  assert.equal(await text(health, '/readyz'), '200 ok\n');
  const page = await text(metrics, '/metrics');
  assert.match(page, /turnsole_engines\{status="completed"\} 1/);
  assert.match(page, /controller_runtime_reconcile_total\{controller="chaosengine",result="success"\} \d/);
  assert.match(page, /turnsole_api_requests_total\{verb="create",resource="pods",code="201"\} 1\n/);
  const place = { namespace: cluster.config.namespace };
  const held = await cluster.client.get<Lease>(LEASES, 'chaos-operator.lock', place);
  assert.notEqual(held.spec?.holderIdentity, '');

  stop.abort(new Error('SIGTERM'));
  assert.equal(await exit, 0);
  const released = await cluster.client.get<Lease>(LEASES, 'chaos-operator.lock', place);
  assert.equal(released.spec?.holderIdentity ?? '', '');
});

test('operator process: an operator of one namespace leaves others alone', async (context) => {
  const cluster = await startStandIn(context, { operator: { namespace: 'elsewhere' } });
  const second = await startStandIn(context, { operator: { namespace: 'default' } });
  await second.experiment('pod-delete');
  await second.apply(engineOf('web', ['pod-delete']));
  await cluster.apply(engineOf('web', ['pod-delete']));
  await second.ended('web', 'completed');
  assert.equal((await cluster.engine('web', () => true)).status, undefined);
});

test('operator process: WATCH_NAMESPACE must be set, unknown flags are refused', async () => {
  const io = { logger: silentLogger, signal: new AbortController().signal };
  assert.equal(await runOperator([], {}, io), 2);
  assert.equal(await runOperator(['-nope'], { WATCH_NAMESPACE: '' }, io), 2);
});
