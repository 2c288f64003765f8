import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeOnDatabases } from '../store/testing/databases.ts';
import {
  cronOf,
  engineYaml,
  faultTemplate,
  INLINE_PROBE,
  standaloneOf,
  workflowOf,
} from './testing/manifests.ts';
import { type Order, Scene, SHOP } from './testing/scene.ts';

const CRON = cronOf(workflowOf(faultTemplate(engineYaml({ probe: INLINE_PROBE }))));
const SCHEDULES = `query ($p: ID!) {
  listExperiment(projectID: $p, request: {}) {
    experiments { experimentID schedule { cron timezone isSuspended isBegun } }
  }
}`;
const STATE = `mutation ($p: ID!, $id: String!, $off: Boolean!) {
  updateCronExperimentState(projectID: $p, experimentID: $id, disable: $off)
}`;
const REMOVE = `mutation ($p: ID!, $id: String!) { deleteChaosExperiment(projectID: $p, experimentID: $id) }`;
const STOP = `mutation ($p: ID!, $id: String!) { stopExperimentRuns(projectID: $p, experimentID: $id) }`;

const text = (object: object): string => JSON.stringify(object);
const renamed = (name: string, object: object): object => ({
  ...object,
  metadata: { ...(object as { metadata: object }).metadata, name },
});
const kinds = (orders: readonly Order[]): string[] =>
  orders.map(({ type, manifest }) => `${type} ${manifest === '' ? '' : JSON.parse(manifest).kind}`.trim());

describeOnDatabases('experiments with a schedule', (database) => {
  test('runChaosExperiment gives an agent the schedule, whose probes are there', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1', { manifest: text(CRON.object) });
    assert.equal(await scene.run('e1'), '');
    const orders = await scene.orders();
    assert.deepEqual(kinds(orders), ['create CronWorkflow', 'update CronWorkflow']);
    const { metadata, spec } = JSON.parse(orders[0]?.manifest ?? '');
    assert.equal(metadata.name, 'shop');
    assert.equal(spec.workflowMetadata.labels.workflow_id, 'e1');
    assert.match(spec.workflowSpec.templates[1].inputs.artifacts[0].raw.data, /probeTimeout: 500ms/);
  });

  test('an experiment tells its schedule: expressions, time zone, whether it was begun and is suspended', async () => {
    const scene = await Scene.start(database);
    const spec = {
      ...(CRON.object.spec as object),
      schedules: ['0 3 * * *', '0 4 * * *'],
      schedule: undefined,
    };
    await scene.save('e1', { manifest: text({ ...CRON.object, spec: { ...spec, timezone: 'Asia/Tokyo' } }) });
    await scene.save('e2', {
      manifest: text(renamed('engines', standaloneOf('ChaosSchedule').object)),
      name: 'engines',
    });
    await scene.save('e3', { manifest: text(renamed('once', JSON.parse(SHOP))), name: 'once' });
    const schedules = async (): Promise<Record<string, unknown>> => {
      const { listExperiment } = await scene.data(SCHEDULES);
      const { experiments } = listExperiment as {
        experiments: { experimentID: string; schedule: unknown }[];
      };
      return Object.fromEntries(experiments.map(({ experimentID, schedule }) => [experimentID, schedule]));
    };
    const [e1, e2] = [
      { cron: ['0 3 * * *', '0 4 * * *'], timezone: 'Asia/Tokyo', isSuspended: false, isBegun: false },
      { cron: [], timezone: '', isSuspended: false, isBegun: false },
    ];
    assert.deepEqual(await schedules(), { e1, e2, e3: null });
    await scene.run('e1');
    await scene.run('e2');
    for (const id of ['e1', 'e2']) await scene.data(STATE, { id, off: true });
    assert.deepEqual(await schedules(), {
      e1: { ...e1, isSuspended: true, isBegun: true },
      e2: { ...e2, isSuspended: true, isBegun: true },
      e3: null,
    });
  });

  test('changes reach the cluster once the schedule was begun, and not before', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1', { manifest: text(CRON.object) });
    await scene.save('e1', { manifest: text(CRON.object) });
    assert.deepEqual(await scene.orders(), []);
    await scene.run('e1');
    await scene.orders();

    await scene.save('e1', { manifest: text({ ...CRON.object, spec: { schedule: '5 * * * *' } }) });
    const [order, ...others] = await scene.orders();
    assert.deepEqual([order?.type, JSON.parse(order?.manifest ?? '').spec.schedule], ['update', '5 * * * *']);
    assert.deepEqual(others, []);
  });

  test('a schedule that moves, is renamed, or becomes none is deleted where it was', async () => {
    const scene = await Scene.start(database);
    const other = await scene.server.agent(scene.project, 'second');
    await scene.save('e1', { manifest: text(CRON.object) });
    await scene.run('e1');
    await scene.orders();

    await scene.save('e1', { manifest: text(CRON.object), infraID: other.infraID });
    assert.deepEqual(kinds(await scene.orders()), ['delete CronWorkflow']);
    await scene.save('e1', { manifest: SHOP, infraID: other.infraID });
    assert.deepEqual(kinds(await scene.orders(other)), ['create CronWorkflow', 'delete CronWorkflow']);
    await scene.save('e1', { manifest: SHOP, infraID: other.infraID });
    assert.deepEqual(await scene.orders(other), []);
  });

  test('updateCronExperimentState suspends and resumes, also in the cluster', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1', { manifest: text(CRON.object) });
    await scene.run('e1');
    await scene.orders();
    for (const off of [true, false]) {
      assert.equal((await scene.data(STATE, { id: 'e1', off })).updateCronExperimentState, true);
      const [order] = await scene.orders();
      assert.deepEqual([order?.type, JSON.parse(order?.manifest ?? '').spec.suspend], ['update', off]);
    }
    await scene.save('e2', {
      manifest: text({ ...workflowOf().object, metadata: { name: 'w' } }),
      name: 'w',
    });
    assert.equal(
      await scene.refusal(STATE, { id: 'e2', off: true }),
      'cannot change the schedule of experiment e2: it is a Workflow and has none',
    );
    await scene.server.plane.store.transaction('test', async ({ db }) => {
      await db.updateTable('infras').set({ active: 0 }).execute();
    });
    assert.match(
      (await scene.refusal(STATE, { id: 'e1', off: true })) ?? '',
      /^cron experiement updation failed due to inactive infra, err: /,
    );
  });

  test('a ChaosSchedule is begun, halted and deleted in its own words', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1', { manifest: text(standaloneOf('ChaosSchedule').object) });
    await scene.run('e1');
    assert.deepEqual(kinds(await scene.orders()), ['create ChaosSchedule', 'update ChaosSchedule']);
    await scene.data(STATE, { id: 'e1', off: true });
    const [halt] = await scene.orders();
    assert.equal(JSON.parse(halt?.manifest ?? '').spec.scheduleState, 'halt');
    await scene.data(REMOVE, { id: 'e1' });
    assert.deepEqual(kinds(await scene.orders()), ['delete ChaosSchedule', 'delete ChaosEngine']);
  });

  test('stopExperimentRuns stops what goes on and leaves the schedule; deleteChaosExperiment deletes that', async () => {
    const scene = await Scene.start(database);
    await scene.save('e1', { manifest: text(CRON.object) });
    await scene.run('e1');
    assert.equal((await scene.data(STOP, { id: 'e1' })).stopExperimentRuns, true);
    await scene.report({
      experimentID: 'e1',
      runID: 'uid-1',
      updatedBy: Buffer.from('paul').toString('base64url'),
    });
    await scene.orders();
    await scene.data(STOP, { id: 'e1' });
    assert.deepEqual(await scene.orders(), [
      { type: 'workflow_run_stop', manifest: '', namespace: '', externalData: 'uid-1' },
    ]);
    await scene.data(REMOVE, { id: 'e1' });
    assert.deepEqual(kinds(await scene.orders()), ['delete CronWorkflow', 'workflow_delete']);
  });
});
