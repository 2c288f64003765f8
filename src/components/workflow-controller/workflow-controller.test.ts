/** The workflow controller against the embedded cluster with simulated pods. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient } from '@turnsole/kube/client/index';
import { systemClock } from '@turnsole/kube/runtime/index';
import { until } from '@turnsole/kube/testing/until';
import {
  nodesOf,
  startWorkflowCluster,
  type WorkflowCluster,
} from '../../../test/support/workflow-cluster.ts';

let cluster: WorkflowCluster;
before(async () => {
  cluster = await startWorkflowCluster();
  await cluster.start();
});
after(() => cluster.close());

const container = (args: string): string => `container: {image: busybox, command: [sh], args: [${args}]}`;

test('a workflow of one step runs to its end', async () => {
  await cluster.submit('one', `{entrypoint: main, templates: [{name: main, ${container('')}}]}`);
  const workflow = await cluster.over('one');
  assert.equal(workflow.status?.phase, 'Succeeded');
  assert.equal(workflow.metadata.labels?.['workflows.argoproj.io/phase'], 'Succeeded');
  assert.equal(workflow.metadata.annotations?.['workflows.argoproj.io/pod-name-format'], 'v2');
  assert.deepEqual(nodesOf(workflow), ['one: Succeeded']);
  assert.deepEqual(workflow.status?.conditions, [
    { type: 'PodRunning', status: 'False' },
    { type: 'Completed', status: 'True' },
  ]);
  assert.equal(workflow.status?.progress, '1/1');
});

test('steps run one after the other, loops beside one another, and a failure ends the rest', async () => {
  await cluster.submit(
    'steps',
    `
entrypoint: main
templates:
- name: main
  steps:
  - - {name: a, template: ok, withItems: [1, 2, 3]}
  - - {name: b, template: bad}
  - - {name: c, template: ok}
- {name: ok, ${container('')}}
- {name: bad, ${container('exit, "3"')}}
`,
  );
  const workflow = await cluster.over('steps');
  assert.equal(workflow.status?.phase, 'Failed');
  assert.deepEqual(nodesOf(workflow).slice(2), [
    'a(0:1): Succeeded',
    'a(1:2): Succeeded',
    'a(2:3): Succeeded',
    'b: Failed (main: Error (exit code 3))',
    `steps: Failed (child '${Object.values(workflow.status?.nodes ?? {}).find((n) => n.displayName === 'b')?.id}' failed)`,
  ]);
});

test('a spec that is wrong is refused in the words of the real controller', async () => {
  await cluster.submit('wrong', '{entrypoint: nope, templates: []}');
  const { status } = await cluster.over('wrong');
  assert.equal(status?.phase, 'Failed');
  assert.match(status?.message ?? '', /^invalid spec: template name 'nope' undefined/);
});

test('a client stops a workflow: its pod is ended, and its node has failed', async () => {
  await cluster.submit('stopped', `{entrypoint: main, templates: [{name: main, ${container('wait')}}]}`);
  await cluster.when('stopped', ({ status }) => status?.nodes?.stopped?.phase === 'Running');
  await cluster.patch('stopped', { spec: { shutdown: 'Stop' } });
  const { status } = await cluster.over('stopped');
  assert.equal(status?.phase, 'Failed');
  assert.equal(status?.message, "Stopped with strategy 'Stop'");
});

test('a mutex lets one workflow after the other run', async () => {
  const spec = (args: string): string =>
    `{entrypoint: main, synchronization: {mutexes: [{name: m}]}, templates: [{name: main, ${container(args)}}]}`;
  await cluster.submit('mutex-1', spec('wait'));
  await cluster.when('mutex-1', ({ status }) => status?.phase === 'Running');
  await cluster.submit('mutex-2', spec(''));
  const waiting = await cluster.when('mutex-2', ({ status }) => status?.phase === 'Pending');
  assert.equal(waiting.status?.message, 'Waiting for default/Mutex/m lock. Lock status: 0/1');
  await cluster.patch('mutex-1', { spec: { shutdown: 'Terminate' } });
  const [first, second] = [await cluster.over('mutex-1'), await cluster.over('mutex-2')];
  assert.equal(second.status?.phase, 'Succeeded');
  assert.ok((second.status?.startedAt ?? '') >= (first.status?.finishedAt ?? 'x'));
  assert.equal(second.status?.synchronization, undefined);
});

test('a suspended node goes on when a client resumes it', async () => {
  await cluster.submit(
    'resumed',
    `
entrypoint: main
templates:
- name: main
  steps:
  - - {name: gate, template: gate}
  - - {name: a, template: ok}
- {name: gate, suspend: {}}
- {name: ok, ${container('')}}
`,
  );
  const suspended = await cluster.when('resumed', ({ status }) =>
    Object.values(status?.nodes ?? {}).some(({ type, phase }) => type === 'Suspend' && phase === 'Running'),
  );
  const gate = Object.values(suspended.status?.nodes ?? {}).find(({ type }) => type === 'Suspend');
  assert.ok(gate);
  const finishedAt = '2026-01-01T00:00:00Z';
  await cluster.patch('resumed', { status: { nodes: { [gate.id]: { phase: 'Succeeded', finishedAt } } } });
  const workflow = await cluster.over('resumed');
  assert.equal(workflow.status?.phase, 'Succeeded');
});

test('a workflow of one step costs four requests besides its Events', async () => {
  const calls: string[] = [];
  const client = createClient(cluster.config, {
    onCall: ({ verb, resource }) => {
      const isAsked = verb === 'list' || verb === 'watch' || resource === 'events';
      if (!isAsked) calls.push(`${verb} ${resource}`);
    },
  });
  // Time stands still, so that a slow machine's pod does not show in a write of its own that it runs.
  const now = Date.now();
  const clock = { ...systemClock, now: () => now };
  const controller = await cluster.start({ client, clock, instanceId: 'counted' });
  const labels = { 'workflows.argoproj.io/controller-instanceid': 'counted' };
  await cluster.submit('counted', `{entrypoint: main, templates: [{name: main, ${container('')}}]}`, {
    labels,
  });
  await cluster.over('counted');
  await until(() => calls.includes('patch pods'), 'the pod is not marked');
  await controller.stop();
  client.close();
  assert.deepEqual(calls.sort(), ['create pods', 'patch pods', 'patch workflows', 'patch workflows']);
});
