/** The workflow controller across restarts, and beside clients that write as well. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, PODS } from '@turnsole/kube/kinds/resources';
import {
  nodesOf,
  startWorkflowCluster,
  type WorkflowCluster,
} from '../../../test/support/workflow-cluster.ts';
import { defaultSettings } from './settings.ts';

let cluster: WorkflowCluster;
before(async () => {
  cluster = await startWorkflowCluster();
});
after(() => cluster.close());

const container = (args: string): string => `container: {image: busybox, command: [sh], args: [${args}]}`;
const NAMESPACE = 'default';

test('what a stopped controller left is gone on with: no pod twice, nothing lost', async () => {
  let controller = await cluster.start();
  await cluster.submit(
    'restarted',
    `
entrypoint: main
templates:
- name: main
  steps:
  - - {name: a, template: ok}
    - {name: b, template: slow}
  - - {name: c, template: ok}
- {name: ok, ${container('')}}
- {name: slow, ${container('run, "4000"')}}
`,
  );
  await cluster.when('restarted', ({ status }) =>
    Object.values(status?.nodes ?? {}).some(
      ({ displayName, phase }) => displayName === 'a' && phase === 'Succeeded',
    ),
  );
  await controller.stop();
  const before = new Set((await cluster.pods('restarted')).map(({ metadata }) => metadata.uid));
  controller = await cluster.start();
  const workflow = await cluster.over('restarted');
  assert.equal(workflow.status?.phase, 'Succeeded');
  const pods = await cluster.pods('restarted');
  assert.equal(pods.length, 3);
  assert.equal(pods.filter(({ metadata }) => before.has(metadata.uid)).length, 2);
  await controller.stop();
});

test('a pod that ended while no controller was there is taken over, one that went away is lost', async () => {
  let controller = await cluster.start();
  const spec = `{entrypoint: main, templates: [{name: main, ${container('wait')}}]}`;
  await cluster.submit('lost', spec);
  await cluster.submit('late', `{entrypoint: main, templates: [{name: main, ${container('run, "5000"')}}]}`);
  await Promise.all(
    ['lost', 'late'].map((name) =>
      cluster.when(name, ({ status }) => status?.nodes?.[name]?.phase === 'Running'),
    ),
  );
  await controller.stop();
  await cluster.client.delete<Pod>(PODS, 'lost', { namespace: NAMESPACE, gracePeriodSeconds: 0 });
  controller = await cluster.start();
  const lost = await cluster.over('lost');
  assert.deepEqual([lost.status?.phase, lost.status?.message], ['Error', 'pod deleted']);
  assert.equal((await cluster.over('late')).status?.phase, 'Succeeded');
  await controller.stop();
});

test('locks are held across a restart', async () => {
  let controller = await cluster.start();
  const step = (args: string): string =>
    `{entrypoint: main, templates: [{name: main, synchronization: {mutexes: [{name: kept}]}, ${container(args)}}]}`;
  await cluster.submit('holder', step('wait'));
  await cluster.when('holder', ({ status }) => status?.nodes?.['holder']?.phase === 'Running');
  await controller.stop();
  await cluster.submit('waiter', step(''));
  controller = await cluster.start();
  const waiting = await cluster.when('waiter', ({ status }) => status?.nodes?.['waiter'] !== undefined);
  assert.equal(
    waiting.status?.nodes?.['waiter']?.message,
    'Waiting for default/Mutex/kept lock. Lock status: 0/1',
  );
  assert.deepEqual(await cluster.pods('waiter'), []);
  await cluster.patch('holder', { spec: { shutdown: 'Terminate' } });
  assert.equal((await cluster.over('holder')).status?.phase, 'Failed');
  assert.deepEqual(nodesOf(await cluster.over('waiter')), ['waiter: Succeeded']);
  await controller.stop();
});

test('a semaphore gets its limit from a config map, and a change of it counts at once', async () => {
  const controller = await cluster.start();
  const metadata = { name: 'limits', namespace: NAMESPACE };
  await cluster.client.create(CONFIG_MAPS, { metadata, data: { few: '1' } } as never, {
    namespace: NAMESPACE,
  });
  const spec = (args: string): string =>
    `{entrypoint: main, synchronization: {semaphores: [{configMapKeyRef: {name: limits, key: few}}]}, templates: [{name: main, ${container(args)}}]}`;
  await cluster.submit('sem-1', spec('wait'));
  await cluster.when('sem-1', ({ status }) => status?.phase === 'Running');
  await cluster.submit('sem-2', spec(''));
  const waiting = await cluster.when(
    'sem-2',
    ({ status }) => status?.phase === 'Pending' && status.message !== undefined,
  );
  assert.equal(waiting.status?.message, 'Waiting for default/ConfigMap/limits/few lock. Lock status: 0/1');
  await cluster.client.patch(
    CONFIG_MAPS,
    'limits',
    'merge',
    { data: { few: '2' } },
    { namespace: NAMESPACE },
  );
  assert.equal((await cluster.over('sem-2')).status?.phase, 'Succeeded');
  await cluster.patch('sem-1', { spec: { shutdown: 'Terminate' } });
  await cluster.over('sem-1');
  await cluster.submit('sem-3', spec('').replace('key: few', 'key: none'));
  const refused = await cluster.over('sem-3');
  assert.equal(
    refused.status?.message,
    'Failed to acquire the synchronization lock. key none of config map default/limits is missing',
  );
  await controller.stop();
});

test('a client that writes at the same time keeps what it wrote', async () => {
  const controller = await cluster.start();
  await cluster.submit(
    'annotated',
    `{entrypoint: main, templates: [{name: main, ${container('run, "400"')}}]}`,
  );
  await cluster.when('annotated', ({ status }) => status?.phase === 'Running');
  for (let at = 0; at < 20; at++)
    await cluster.patch('annotated', {
      metadata: { annotations: { [`mine-${at}`]: 'x' } },
      status: { mine: at },
    });
  const workflow = await cluster.over('annotated');
  assert.equal(workflow.status?.phase, 'Succeeded');
  assert.equal(
    Object.keys(workflow.metadata.annotations ?? {}).filter((key) => key.startsWith('mine')).length,
    20,
  );
  assert.equal((workflow.status as { readonly mine?: number }).mine, 19);
  await controller.stop();
});

test('a failed workflow that a client begins again runs only what had failed', async () => {
  const controller = await cluster.start();
  await cluster.submit(
    'again',
    `
entrypoint: main
templates:
- name: main
  steps:
  - - {name: a, template: ok}
  - - {name: b, template: bad}
- {name: ok, ${container('')}}
- {name: bad, ${container('exit, "1"')}}
`,
  );
  const failed = await cluster.over('again');
  const nodes = Object.values(failed.status?.nodes ?? {});
  const [b, group] = ['b', '[1]'].map((name) => nodes.find(({ displayName }) => displayName === name));
  assert.ok(b !== undefined && group !== undefined);
  const [pod] = (await cluster.pods('again')).filter(
    ({ metadata }) => metadata.annotations?.['workflows.argoproj.io/node-name'] === b.name,
  );
  await cluster.client.delete(PODS, pod?.metadata.name ?? '', { namespace: NAMESPACE });
  await cluster.patch('again', {
    metadata: {
      labels: { 'workflows.argoproj.io/completed': 'false', 'workflows.argoproj.io/phase': 'Running' },
    },
    status: {
      phase: 'Running',
      message: null,
      finishedAt: null,
      nodes: {
        [b.id]: null,
        [group.id]: { phase: 'Running', message: null, finishedAt: null, children: null },
        again: { phase: 'Running', message: null, finishedAt: null, outboundNodes: null },
      },
    },
  });
  await cluster.when(
    'again',
    ({ status }) => status?.phase === 'Running' || status?.nodes?.[b.id] !== undefined,
  );
  const second = await cluster.over('again');
  assert.equal(second.status?.phase, 'Failed');
  assert.equal((await cluster.pods('again')).length, 2);
  assert.notEqual(
    (await cluster.pods('again')).find(({ metadata }) => metadata.name === pod?.metadata.name)?.metadata.uid,
    pod?.metadata.uid,
  );
  await controller.stop();
});

test('where the number of workflows is limited, the next one begins when there is a place', async () => {
  const settings = { ...defaultSettings('turnsole:test'), parallelism: 1 };
  const controller = await cluster.start({ settings: () => settings });
  const spec = (args: string): string => `{entrypoint: main, templates: [{name: main, ${container(args)}}]}`;
  await cluster.submit('place-1', spec('wait'));
  await cluster.when('place-1', ({ status }) => status?.phase === 'Running');
  await cluster.submit('place-2', spec(''));
  const waiting = await cluster.when('place-2', ({ status }) => status?.phase === 'Pending');
  assert.match(waiting.status?.message ?? '', /postponed because too many workflows are already running/);
  await cluster.patch('place-1', { spec: { shutdown: 'Terminate' } });
  const [first, second] = [await cluster.over('place-1'), await cluster.over('place-2')];
  assert.ok((second.status?.startedAt ?? '') >= (first.status?.finishedAt ?? 'x'));
  assert.deepEqual([second.status?.phase, second.status?.message], ['Succeeded', undefined]);
  await controller.stop();
});

test('where the rate of pods is limited, one that waits for its turn is neither made nor waited for when its workflow ends', async () => {
  const settings = { ...defaultSettings('turnsole:test'), podRate: { limit: 0.001, burst: 1 } };
  const controller = await cluster.start({ settings: () => settings });
  await cluster.submit(
    'rate',
    `
entrypoint: main
templates:
- name: main
  steps: [[{name: a, template: run, withItems: [1, 2]}]]
- {name: run, ${container('wait')}}
`,
  );
  await cluster.when('rate', ({ status }) =>
    Object.values(status?.nodes ?? {}).some(({ type, phase }) => type === 'Pod' && phase === 'Running'),
  );
  assert.equal((await cluster.pods('rate')).length, 1);
  await cluster.patch('rate', { spec: { shutdown: 'Terminate' } });
  const { status } = await cluster.over('rate');
  assert.equal(status?.phase, 'Failed');
  // The one that ran is being deleted, or gone; the other one never was.
  assert.ok((await cluster.pods('rate')).length <= 1);
  await controller.stop();
});
