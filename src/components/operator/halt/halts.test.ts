/** The safety lever, with the operator against the embedded API server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, PODS } from '@turnsole/kube/kinds/resources';
import {
  endlessExperiment,
  engineOf,
  NAMESPACE,
  type StandInCluster,
  startStandIn,
} from '../../../../test/support/stand-in-cluster.ts';
import { describeHalt, HALT_NAME, HALT_NAMESPACE } from '../../../chaos/halt.ts';

const pull = (cluster: StandInCluster, namespace: string) =>
  cluster.client.create<ConfigMap>(
    CONFIG_MAPS,
    { metadata: { name: HALT_NAME }, data: { reason: 'sale', by: 'ann', since: '2030-01-01T00:00:00Z' } },
    { namespace },
  );

for (const home of [HALT_NAMESPACE, NAMESPACE]) {
  test(`a lever pulled in ${home} aborts what runs, and what is made meanwhile begins when it is released`, async (context) => {
    const cluster = await startStandIn(context, { experiment: endlessExperiment });
    await cluster.experiment('pod-delete');
    await cluster.apply(engineOf('runs', ['pod-delete']));
    await cluster.engine('runs', ({ status }) => status?.experiments?.[0]?.status === 'Running');
    await pull(cluster, home);
    const halted = await cluster.ended('runs', 'stopped');
    const line = halted.status?.timeline?.find(({ step }) => step === 'Halted');
    assert.match(line?.message ?? '', /^chaos is halted .* by ann: sale \(released by: turnsole resume/);
    assert.deepEqual(await cluster.pods(), []);

    await cluster.apply(engineOf('new', ['pod-delete']));
    const waiting = await cluster.engine(
      'new',
      ({ status }) => findCondition(status?.conditions, 'Runnable') !== undefined,
    );
    const { status: word, reason } = findCondition(waiting.status?.conditions, 'Runnable') ?? {};
    assert.deepEqual([word, reason], ['False', 'Halted']);
    assert.equal(waiting.status?.engineStatus ?? '', '');

    await cluster.client.delete(CONFIG_MAPS, HALT_NAME, { namespace: home });
    const begun = await cluster.engine('new', ({ status }) => status?.experiments?.[0]?.status === 'Running');
    assert.equal(findCondition(begun.status?.conditions, 'Runnable'), undefined);
    assert.equal((await cluster.engine('runs', () => true)).spec.engineState, 'stop');
  });
}

test("another namespace's lever changes nothing", async (context) => {
  const cluster = await startStandIn(context);
  await cluster.experiment('pod-delete');
  await pull(cluster, 'kube-public');
  await cluster.apply(engineOf('web', ['pod-delete']));
  await cluster.ended('web', 'completed');
  const { items } = await cluster.client.list(PODS, { namespace: NAMESPACE });
  assert.ok(items.length > 0);
});

test('a lever says who pulled it, since when, why, and how it is released', () => {
  const since = '2030-01-01T00:00:00Z';
  assert.equal(
    describeHalt({ scope: 'cluster', namespace: 'kube-system', reason: '', by: '', since }),
    'chaos is halted in the whole cluster since 2030-01-01T00:00:00Z (released by: turnsole resume)',
  );
  assert.equal(
    describeHalt({ scope: 'namespace', namespace: 'shop', reason: 'sale', by: 'ann', since }),
    'chaos is halted in namespace shop since 2030-01-01T00:00:00Z by ann: sale (released by: turnsole resume -n shop)',
  );
});
