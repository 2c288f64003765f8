/** Stops and deletions of runs, against an API server. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import { NAMESPACES } from '@turnsole/kube/kinds/resources';
import { startApi, type TestApi } from '@turnsole/kube/testing/api';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CHAOS_ENGINES } from '../../../api/resources.ts';
import { createInfrastructure, defineRunKinds } from '../testing/infrastructure.ts';
import { engine, workflow } from '../testing/scene.ts';
import { deleteExperiment, deleteRun, type RunContext, stopRun } from './run-command.ts';

let api: TestApi;
before(async () => {
  api = await startApi(createApiServer);
  await defineRunKinds(api.client);
  await createInfrastructure(api.client, 'litmus');
  await api.client.create(NAMESPACES, { metadata: { name: 'shop' } });
});
after(() => api[Symbol.asyncDispose]());

const limit = (): AbortSignal => AbortSignal.timeout(PATIENCE_MS);

function context(known?: Workflow): RunContext {
  return {
    client: api.client,
    namespace: 'litmus',
    refusalOf: (namespace) => (namespace === 'litmus' ? undefined : `namespace ${namespace} is not allowed`),
    workflow: (uid) => (uid === known?.metadata.uid ? known : undefined),
  };
}

async function createRun(name: string, namespace = 'litmus'): Promise<Workflow> {
  const labels = { workflow_id: `experiment-${name}` };
  const created = await api.client.create<Workflow>(
    WORKFLOWS,
    workflow(name, { metadata: { name, labels } }),
    { namespace },
  );
  const own = { workflow_run_id: created.metadata.uid ?? '' };
  await api.client.create(CHAOS_ENGINES, engine(`${name}-goes-on`, own), { namespace });
  const over = engine(`${name}-over`, own, { engineStatus: 'completed' });
  await api.client.create(CHAOS_ENGINES, over, { namespace });
  return created;
}

async function stateOf(name: string, namespace = 'litmus'): Promise<string | undefined> {
  const found = await api.client.get<KubeObject & { spec?: { engineState?: string } }>(CHAOS_ENGINES, name, {
    namespace,
  });
  return found.spec?.engineState;
}

const isThere = async (name: string): Promise<boolean> =>
  (await api.client.find(WORKFLOWS, name, { namespace: 'litmus' })) !== undefined;

test('a run that the watch has not reported is found, and stopped with what goes on; an existing verdict stays', async () => {
  const { metadata } = await createRun('new');
  const outcome = await stopRun(metadata.uid ?? '', context(), limit());
  assert.deepEqual(outcome, { isDone: true, message: 'Workflow new and 1 engines stopped' });
  assert.equal(await stateOf('new-goes-on'), 'stop');
  assert.equal(await stateOf('new-over'), 'active');
  const stopped = await api.client.get<Workflow>(WORKFLOWS, 'new', { namespace: 'litmus' });
  assert.equal(stopped.spec.shutdown, 'Stop');
});

test('a deleted run leaves no unknown chaos behind', async () => {
  const run = await createRun('deleted');
  const { isDone } = await deleteRun(run.metadata.uid ?? '', context(run), limit());
  assert.equal(isDone, true);
  assert.equal(await isThere('deleted'), false);
  assert.equal(await stateOf('deleted-goes-on'), 'stop');
});

test('an experiment is deleted with all of its runs, and no others', async () => {
  await createRun('mine');
  await createRun('other');
  const { message } = await deleteExperiment('experiment-mine', context(), limit());
  assert.equal(message, '1 Workflows of experiment experiment-mine deleted');
  assert.equal(await isThere('mine'), false);
  assert.equal(await isThere('other'), true);
  assert.equal(await stateOf('mine-goes-on'), 'stop');
  assert.equal(await stateOf('other-goes-on'), 'active');
});

test('a run in a namespace that is not allowed is left alone', async () => {
  const run = await createRun('foreign', 'shop');
  for (const change of [stopRun, deleteRun]) {
    const outcome = await change(run.metadata.uid ?? '', context(run), limit());
    assert.deepEqual(outcome, { isDone: false, message: 'namespace shop is not allowed' });
  }
  assert.equal(await stateOf('foreign-goes-on', 'shop'), 'active');
});

test('what is not there, and what is no id, is refused by name', async () => {
  const missing = 'there is no Workflow with the uid u-0 in namespace litmus';
  for (const change of [stopRun, deleteRun]) {
    assert.deepEqual(await change('u-0', context(), limit()), { isDone: false, message: missing });
    assert.equal((await change('', context(), limit())).message, 'the request names no run');
  }
  const { message } = await deleteExperiment('a,b=c', context(), limit());
  assert.equal(message, '"a,b=c" is no id of an experiment');
});
