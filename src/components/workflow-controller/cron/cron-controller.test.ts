import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import { type CoreEvent, type KubeObject, objectKey } from '@turnsole/kube/kinds/core';
import { EVENTS } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/index';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { CronWorkflow } from '@turnsole/workflows/kinds/cron-workflow';
import { CRON_WORKFLOWS, WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CronWorld, defineKinds } from '../testing/cron-world.ts';

const START = '2030-01-01T00:00:30Z';
let api: TestApi;
let worlds = 0;

before(async () => {
  api = await startApi(createApiServer);
  await defineKinds(api.client, WORKFLOWS, CRON_WORKFLOWS);
});
after(() => api[Symbol.asyncDispose]());

async function newWorld(): Promise<CronWorld> {
  worlds += 1;
  return CronWorld.create(api.client, new FakeClock(Date.parse(START)), `cron-${worlds}`);
}

async function worldOf(t: TestContext): Promise<CronWorld> {
  const world = await newWorld();
  t.after(await world.start(t));
  return world;
}

const names = (objects: readonly KubeObject[]): string[] => objects.map(({ metadata }) => metadata.name);
const nameAt = (time: string): string => `nightly-${Date.parse(time) / 1000}`;

test('each minute a workflow, and the status records it', async (t) => {
  const world = await worldOf(t);
  await world.schedule();
  const [first] = await world.moving(world.workflows((all) => all.length === 1));
  assert.equal(first?.metadata.name, nameAt('2030-01-01T00:01:00Z'));
  const { status, metadata } = await world.cron((cron) => cron.status?.active?.length === 1);
  assert.equal(status?.lastScheduledTime, '2030-01-01T00:01:00Z');
  assert.equal(status?.phase, 'Active');
  assert.equal(metadata.annotations?.['cronworkflows.argoproj.io/last-used-schedule'], '* * * * *');
  if (first !== undefined) await world.end(first, 'Succeeded');
  const counted = await world.cron((cron) => cron.status?.succeeded === 1);
  assert.deepEqual(counted.status?.active, []);
  await world.moving(world.workflows((all) => all.length === 2));
});

test('Forbid: the next starts when the one before has ended', async (t) => {
  const world = await worldOf(t);
  await world.schedule({ concurrencyPolicy: 'Forbid' });
  const [first] = await world.moving(world.workflows((all) => all.length === 1));
  await world.cron((cron) => cron.status?.active?.length === 1);
  await world.clock.advance(180_000);
  await world.moving(world.cron(() => world.counted.includes('Forbid')));
  assert.equal((await world.workflows(() => true)).length, 1);
  if (first !== undefined) await world.end(first, 'Failed');
  await world.cron((cron) => cron.status?.failed === 1);
  await world.moving(world.workflows((all) => all.length === 2));
});

test('Replace: the one before is stopped', async (t) => {
  const world = await worldOf(t);
  await world.schedule({ concurrencyPolicy: 'Replace' });
  const [first] = await world.moving(world.workflows((all) => all.length === 1));
  await world.cron((cron) => cron.status?.active?.length === 1);
  const both = await world.moving(world.workflows((all) => all.length === 2));
  assert.deepEqual(
    both.map(({ spec }) => spec.shutdown),
    ['Terminate', undefined],
  );
  assert.equal(both[0]?.metadata.uid, first?.metadata.uid);
});

test('a client that replaces the object and erases its status is followed', async (t) => {
  const world = await worldOf(t);
  const created = await world.schedule({ concurrencyPolicy: 'Forbid' });
  await world.moving(world.workflows((all) => all.length === 1));
  const { metadata } = await world.cron((cron) => cron.status?.active?.length === 1);
  const erased = { ...created, metadata: { ...created.metadata, resourceVersion: metadata.resourceVersion } };
  await api.client.update<CronWorkflow>(CRON_WORKFLOWS, erased, { namespace: world.namespace });
  const again = await world.cron((cron) => cron.status?.active?.length === 1);
  assert.equal(again.status?.lastScheduledTime, '2030-01-01T00:01:00Z');
});

test('a CronWorkflow that finds a foreign workflow of the same name reports it, counts it and leaves it alone', async (t) => {
  const world = await worldOf(t);
  const name = nameAt('2030-01-01T00:01:00Z');
  const { namespace } = world;
  await api.client.create<Workflow>(WORKFLOWS, { metadata: { name, namespace }, spec: {} }, { namespace });
  await world.schedule();
  const { status } = await world.moving(world.cron((cron) => cron.status?.failed === 1));
  assert.equal(
    status?.conditions?.[0]?.message,
    `Failed to submit Workflow: a workflow ${name} exists already, and is none of this CronWorkflow: delete or rename it`,
  );
  assert.ok(world.counted.includes('CronWorkflowSubmissionError'));
});

test('what is malformed starts nothing and gets no status; an Event says why', async (t) => {
  const world = await worldOf(t);
  const cron = await world.schedule({ schedules: ['61 * * * *'] });
  const { namespace } = world;
  const events = await waitForList<CoreEvent>(api.client, EVENTS, (all) => all.length > 0, {
    namespace,
    timeoutMs: PATIENCE_MS,
  });
  assert.deepEqual(
    events.map(({ type, reason, message }) => [type, reason, message]),
    [['Warning', 'Malformed', 'cron schedule 61 * * * * is malformed: "61" in "61" is not between 0 and 59']],
  );
  const kept = await world.cron(() => true);
  assert.deepEqual([objectKey(kept), kept.status], [objectKey(cron), undefined]);
});

test('a spec that can run no more: a condition when it is due, gone after it was mended', async (t) => {
  const world = await worldOf(t);
  await world.schedule({ when: '1 == 2' });
  await world.moving(world.cron((cron) => cron.status !== undefined));
  const broken = { spec: { when: null, workflowSpec: { entrypoint: 'zz' } } };
  await api.client.patch(CRON_WORKFLOWS, 'nightly', 'merge', broken, { namespace: world.namespace });
  const { status } = await world.moving(world.cron((cron) => (cron.status?.conditions?.length ?? 0) > 0));
  assert.deepEqual(status?.conditions, [
    { type: 'SpecError', status: 'True', message: "cannot validate Workflow: template name 'zz' undefined" },
  ]);
  const mended = { spec: { workflowSpec: { entrypoint: 'ok' } } };
  await api.client.patch(CRON_WORKFLOWS, 'nightly', 'merge', mended, { namespace: world.namespace });
  await world.moving(world.workflows((all) => all.length === 1));
  await world.cron((cron) => cron.status?.conditions?.length === 0);
});

test('of what has ended, so many are kept as the history says', async (t) => {
  const world = await worldOf(t);
  await world.schedule({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0 });
  const seen = new Set<string>();
  for (const phase of ['Succeeded', 'Failed', 'Succeeded'] as const) {
    const all = await world.moving(world.workflows((some) => names(some).some((name) => !seen.has(name))));
    for (const workflow of all.filter(({ metadata }) => !seen.has(metadata.name)))
      await world.end(workflow, phase);
    for (const name of names(all)) seen.add(name);
  }
  const youngest = [...seen].toSorted().at(-1);
  const kept = await world.workflows((all) => all.filter(({ status }) => status !== undefined).length === 1);
  assert.ok(names(kept).includes(youngest ?? ''));
});

for (const [startingDeadlineSeconds, expected] of [
  [600, [nameAt('2030-01-01T00:01:00Z'), nameAt('2030-01-01T00:04:00Z')]],
  [undefined, [nameAt('2030-01-01T00:01:00Z')]],
] as const) {
  test(`after the controller was away, with a deadline of ${startingDeadlineSeconds} s`, async (t) => {
    const world = await newWorld();
    const stop = await world.start(t);
    await world.schedule({ startingDeadlineSeconds });
    await world.moving(world.workflows((all) => all.length === 1));
    await world.cron((cron) => cron.status?.active?.length === 1);
    await stop();
    await world.clock.advance(Date.parse('2030-01-01T00:04:20Z') - world.clock.now());
    t.after(await world.start(t));
    // What is due at once comes before the next minute's.
    await world.moving(world.workflows((all) => names(all).includes(nameAt('2030-01-01T00:05:00Z'))));
    const all = names(await world.workflows(() => true)).filter(
      (name) => name <= nameAt('2030-01-01T00:04:00Z'),
    );
    assert.deepEqual(all, expected);
  });
}

test('two controllers at once make each workflow once, and Replace does not end it', async (t) => {
  const world = await worldOf(t);
  t.after(await world.start(t));
  await world.schedule({ concurrencyPolicy: 'Replace' });
  await world.moving(world.workflows((all) => all.length === 2));
  const [first, second] = await world.workflows(([one]) => one?.spec.shutdown === 'Terminate');
  assert.deepEqual(
    [first, second].map((workflow) => workflow?.spec.shutdown),
    ['Terminate', undefined],
  );
  const { status } = await world.cron((cron) => cron.status?.lastScheduledTime === '2030-01-01T00:02:00Z');
  assert.equal(status?.failed, 0);
});
