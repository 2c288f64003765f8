import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asJson, asObjects, type Json, valueAt } from '@turnsole/cluster/apiserver/object';
import { startTestServer, type TestServer } from '@turnsole/cluster/apiserver/testing/test-server';
import { ApiError } from '@turnsole/kube/client/errors';
import { createClient } from '@turnsole/kube/client/index';
import { CUSTOM_RESOURCES } from '../api/crds.ts';
import { CHAOS_SCHEDULES } from '../api/resources.ts';
import { startChaosCluster } from './index.ts';
import { judgeWrite } from './judge-write.ts';

const SCHEDULES = '/apis/litmuschaos.io/v1alpha1/namespaces/default/chaosschedules';
const HOURLY = { repeat: { properties: { minChaosInterval: { hour: { everyNthHour: 1 } } } } };

function schedule(times: Json, more: Json = {}): Json {
  const engineTemplateSpec = {
    chaosServiceAccount: 'chaos',
    appinfo: { appns: 'default', applabel: 'app=web', appkind: 'deployment' },
    experiments: [{ name: 'pod-delete' }],
  };
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosSchedule',
    metadata: { name: 'nightly', namespace: 'default' },
    spec: { schedule: times, engineTemplateSpec, ...more },
  };
}

async function withKinds(server: TestServer): Promise<void> {
  for (const { definition } of CUSTOM_RESOURCES) {
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    assert.equal((await server.call('POST', path, { body: definition })).status, 201);
  }
}

test('a schedule that cannot be understood is refused with the path of its field', async (t) => {
  const server = await startTestServer(t);
  await withKinds(server);
  server.api.judgeWrites(CHAOS_SCHEDULES, judgeWrite);
  const zone = { repeat: { ...HOURLY.repeat, timeZone: 'Mars/Base' } };
  const hours = { repeat: { ...HOURLY.repeat, workHours: { includedHours: '25' } } };
  const cases: readonly (readonly [string, Json, string])[] = [
    ['no times', schedule({}), 'spec.schedule'],
    ['two kinds of times', schedule({ ...HOURLY, now: true }), 'spec.schedule.repeat'],
    ['no such zone', schedule(zone), 'spec.schedule.repeat.timeZone'],
    ['no such hour', schedule(hours), 'spec.schedule.repeat.workHours.includedHours'],
    ['no engine', schedule(HOURLY, { engineTemplateSpec: undefined }), 'spec.engineTemplateSpec'],
    [
      'an engine that does nothing',
      schedule(HOURLY, { engineTemplateSpec: { chaosServiceAccount: 'chaos', experiments: [] } }),
      'spec.engineTemplateSpec.experiments',
    ],
  ];
  for (const [name, body, field] of cases) {
    const answer = await server.call('POST', SCHEDULES, { body });
    assert.equal(answer.status, 422, `${name}: ${JSON.stringify(answer.body)}`);
    const fields = asObjects(valueAt(answer.body, 'details', 'causes')).map((cause) => cause.field);
    assert.ok(fields.includes(field), `${name}: ${fields.join()}`);
  }
  const applied = await server.call('PATCH', `${SCHEDULES}/nightly?fieldManager=test`, {
    body: schedule({}),
    type: 'application/apply-patch+yaml',
  });
  assert.equal(applied.status, 422);
  assert.equal((await server.call('POST', SCHEDULES, { body: schedule(HOURLY) })).status, 201);
  const spoiled = await server.call('PATCH', `${SCHEDULES}/nightly`, {
    body: { spec: { schedule: zone } },
    type: 'application/merge-patch+json',
  });
  assert.equal(spoiled.status, 422);
});

test('one that was stored before can be halted, labelled, written the status of, and deleted', async (t) => {
  const server = await startTestServer(t);
  await withKinds(server);
  const made = await server.call('POST', SCHEDULES, { body: schedule({}, { scheduleState: 'active' }) });
  assert.equal(made.status, 201);
  server.api.judgeWrites(CHAOS_SCHEDULES, judgeWrite);
  const patch = async (body: Json): Promise<number> => {
    const type = 'application/merge-patch+json';
    return (await server.call('PATCH', `${SCHEDULES}/nightly`, { body, type })).status;
  };
  assert.equal(await patch({ metadata: { labels: { a: 'b' }, finalizers: ['example.com/x'] } }), 200);
  // The kind has no path of its own for its status, so the judge sees these writes.
  assert.equal(await patch({ status: { schedule: { status: 'halted' } } }), 200);
  assert.equal(await patch({ spec: { scheduleState: 'halt' } }), 200);
  assert.equal(await patch({ spec: { scheduleState: 'active' } }), 422);
  assert.equal((await server.call('DELETE', `${SCHEDULES}/nightly`)).status, 200);
  assert.equal(await patch({ metadata: { finalizers: null } }), 200);
  assert.equal((await server.call('GET', `${SCHEDULES}/nightly`)).status, 404);
});

test('every embedded cluster refuses them', async () => {
  const cluster = await startChaosCluster({ nodes: 1, runtime: 'simulated' });
  const client = createClient(cluster.adminConfig);
  try {
    const { metadata, spec } = schedule({});
    // As its client writes it: kind and version are those of the resource.
    const object = { metadata: { ...asJson(metadata), name: 'nightly' }, spec };
    await assert.rejects(client.create(CHAOS_SCHEDULES, object, { namespace: 'default' }), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 422);
      assert.match(error.message, /spec\.schedule: Required value: give now: true, once or repeat/);
      return true;
    });
  } finally {
    client.close();
    await cluster.close({ graceMs: 0 });
  }
});
