/** Schedules through the API server, with the real operator and runner and stand-in experiments. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CoreEvent } from '@turnsole/kube/kinds/core';
import { EVENTS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/index';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import {
  endlessExperiment,
  engineOf,
  NAMESPACE,
  type StandInCluster,
  startStandIn,
} from '../../../../test/support/stand-in-cluster.ts';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  CHAOS_SCHEDULES,
  type ChaosEngine,
  type ChaosResult,
  type ChaosSchedule,
} from '../../../api/index.ts';
import { startOperator } from '../start-operator.ts';

const place = { namespace: NAMESPACE };

function scheduleOf(spec: Partial<ChaosSchedule['spec']>): ChaosSchedule {
  const { engineState: _, ...template } = engineOf('x', ['pod-delete']).spec;
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosSchedule',
    metadata: { name: 'nightly', namespace: NAMESPACE, labels: { team: 'shop' } },
    spec: { engineTemplateSpec: template, ...spec },
  };
}

function scheduleWhen(
  cluster: StandInCluster,
  isWanted: (schedule: ChaosSchedule) => boolean,
): Promise<ChaosSchedule | undefined> {
  return waitForObject<ChaosSchedule>(
    cluster.client,
    CHAOS_SCHEDULES,
    'nightly',
    (schedule) => schedule !== undefined && isWanted(schedule),
    { ...place, timeoutMs: PATIENCE_MS },
  );
}

for (const statusSubresource of [false, true]) {
  const how = statusSubresource ? 'with' : 'without';
  test(`schedule: now runs one engine and is completed (${how} status subresource)`, async (context) => {
    const cluster = await startStandIn(context, { statusSubresource });
    await cluster.experiment('pod-delete');
    const { metadata } = await cluster.client.create<ChaosSchedule>(
      CHAOS_SCHEDULES,
      scheduleOf({ schedule: { now: true } }),
      place,
    );
    const done = await scheduleWhen(cluster, ({ status }) => status?.schedule?.status === 'completed');
    const { items } = await cluster.client.list<ChaosEngine>(CHAOS_ENGINES, place);
    assert.deepEqual(
      items.map((engine) => [engine.metadata.name, engine.status?.engineStatus]),
      [['nightly', 'completed']],
    );
    const [engine] = items;
    assert.deepEqual(engine?.metadata.labels, { app: 'chaos-engine', chaosUID: metadata.uid, team: 'shop' });
    assert.equal(engine?.metadata.ownerReferences?.[0]?.uid, metadata.uid);
    assert.deepEqual(
      [
        done?.status?.active ?? [],
        done?.status?.schedule?.runInstances,
        done?.spec.scheduleState ?? 'complete',
      ],
      [[], 1, 'complete'],
    );
    await scheduleWhen(cluster, ({ spec }) => spec.scheduleState === 'complete');
    const events = await waitForList<CoreEvent>(
      cluster.client,
      EVENTS,
      (all) => all.some(({ reason }) => reason === 'ScheduleCompleted'),
      { ...place, timeoutMs: PATIENCE_MS },
    );
    assert.deepEqual(
      events
        .filter(({ source }) => source?.component === 'chaos-scheduler')
        .map(({ reason }) => reason)
        .sort(),
      ['SawCompletedEngine', 'ScheduleCompleted', 'SuccessfulCreate'],
    );
  });
}

test('schedule: historyLimit takes the results away with their engines, but for one with something in force', async (context) => {
  const cluster = await startStandIn(context, { operator: false });
  const { client } = cluster;
  const { metadata } = await client.create<ChaosSchedule>(
    CHAOS_SCHEDULES,
    scheduleOf({ schedule: { now: true }, historyLimit: 1 }),
    place,
  );
  const owner = {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosSchedule',
    name: 'nightly',
    uid: metadata.uid ?? '',
  };
  for (const name of ['nightly-1', 'nightly-2', 'nightly-3']) {
    const engine = engineOf(name, ['pod-delete'], { engineState: 'stop' });
    const made = await client.create<ChaosEngine>(
      CHAOS_ENGINES,
      { ...engine, metadata: { ...engine.metadata, ownerReferences: [{ ...owner, controller: true }] } },
      place,
    );
    const status = { engineStatus: 'completed' };
    const subresource = (await client.hasStatusSubresource(CHAOS_ENGINES)) ? { subresource: 'status' } : {};
    await client.patch(CHAOS_ENGINES, name, 'merge', { status }, { ...place, ...subresource });
    const state = name === 'nightly-2' ? 'injected' : 'reverted';
    const labels = { chaosUID: made.metadata.uid ?? '' };
    const ledger = { a: { state } };
    await client.create(
      CHAOS_RESULTS,
      {
        metadata: { name: `${name}-pod-delete`, labels },
        spec: { engine: name },
        status: { ledger },
      } as never,
      place,
    );
    const ofResults = (await client.hasStatusSubresource(CHAOS_RESULTS)) ? { subresource: 'status' } : {};
    await client.patch(
      CHAOS_RESULTS,
      `${name}-pod-delete`,
      'merge',
      { status: { ledger } },
      { ...place, ...ofResults },
    );
  }
  const operator = await startOperator({ client });
  context.after(() => operator.stop());
  const left = await waitForList<ChaosResult>(
    client,
    CHAOS_RESULTS,
    (all) => !all.some(({ metadata: { name } }) => name === 'nightly-1-pod-delete'),
    { ...place, timeoutMs: PATIENCE_MS },
  );
  assert.deepEqual(left.map(({ metadata: { name } }) => name).sort(), [
    'nightly-2-pod-delete',
    'nightly-3-pod-delete',
  ]);
});

test('schedule: stop aborts the engine that runs', async (context) => {
  const cluster = await startStandIn(context, { experiment: endlessExperiment });
  await cluster.experiment('pod-delete');
  const everyHour = { properties: { minChaosInterval: { hour: { everyNthHour: 1 } } } };
  await cluster.client.create(CHAOS_SCHEDULES, scheduleOf({ schedule: { repeat: everyHour } }), place);
  const running = await scheduleWhen(cluster, ({ status }) => status?.active?.length === 1);
  const name = running?.status?.active?.[0]?.name ?? '';
  assert.match(name, /^nightly-\d{10}$/);
  await cluster.engine(name, ({ status }) => status?.experiments?.[0]?.status === 'Running');
  await cluster.client.patch(CHAOS_SCHEDULES, 'nightly', 'merge', { spec: { scheduleState: 'stop' } }, place);
  const engine = await cluster.ended(name, 'stopped');
  assert.equal(engine.status?.experiments?.[0]?.verdict, 'Stopped');
  await scheduleWhen(
    cluster,
    ({ status }) => status?.schedule?.status === 'stopped' && (status.active ?? []).length === 0,
  );
});

test('schedule: one that cannot be understood says why, once', async (context) => {
  const cluster = await startStandIn(context);
  await cluster.client.create(CHAOS_SCHEDULES, scheduleOf({ schedule: {} }), place);
  const events = await waitForList<CoreEvent>(
    cluster.client,
    EVENTS,
    (all) => all.some(({ reason }) => reason === 'FailedNeedsStart'),
    { ...place, timeoutMs: PATIENCE_MS },
  );
  assert.match(events[0]?.message ?? '', /spec\.schedule: Required value: give now: true, once or repeat/);
  const refused = await scheduleWhen(cluster, ({ status }) => (status?.conditions ?? []).length > 0);
  const [condition] = refused?.status?.conditions ?? [];
  assert.deepEqual(
    [condition?.type, condition?.status, condition?.reason],
    ['Runnable', 'False', 'InvalidSpec'],
  );
  assert.match(condition?.message ?? '', /spec\.schedule: Required value: give now: true, once or repeat/);
  // Once it can be understood it says nothing of the kind any more.
  await cluster.experiment('pod-delete');
  await cluster.client.patch(
    CHAOS_SCHEDULES,
    'nightly',
    'merge',
    { spec: { schedule: { now: true } } },
    place,
  );
  const done = await scheduleWhen(cluster, ({ status }) => status?.schedule?.status === 'completed');
  assert.deepEqual(done?.status?.conditions ?? [], []);
});
