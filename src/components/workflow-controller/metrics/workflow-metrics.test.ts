/** Metrics of workflows that run, on the embedded cluster with simulated pods. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PODS } from '@turnsole/kube/kinds/resources';
import { until } from '@turnsole/kube/testing/until';
import { CRON_WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import { parse } from 'yaml';
import { startWorkflowCluster, type WorkflowCluster } from '../../../../test/support/workflow-cluster.ts';
import { createMetrics } from '../../../process/metrics.ts';
import { WORKFLOW_QUEUE } from './queues.ts';
import { WorkflowMetrics } from './workflow-metrics.ts';

const ONE_STEP = '{entrypoint: main, templates: [{name: main, container: {image: busybox, command: [sh]}}]}';

/** Labels of a workflow that is another controller's. */
const FOREIGN = { 'workflows.argoproj.io/controller-instanceid': 'another' };

let cluster: WorkflowCluster;
const workflowMetrics = new WorkflowMetrics(createMetrics({ withProcess: false }));
before(async () => {
  workflowMetrics.showLegacyNames();
  cluster = await startWorkflowCluster({ podRate: { limit: 100, burst: 1 } });
  await cluster.start({ workflowMetrics, metrics: workflowMetrics.queue(WORKFLOW_QUEUE) });
});
after(() => cluster.close());

/** Resolves when the page shows these lines: a write is seen by others before the controller has heard of it. */
async function shows(...expected: readonly (string | RegExp)[]): Promise<void> {
  let missing = expected;
  await until(
    async () => {
      const { body } = await workflowMetrics.page();
      const lines = new Set(body.split('\n'));
      missing = expected.filter((line) => (typeof line === 'string' ? !lines.has(line) : !line.test(body)));
      return missing.length === 0;
    },
    () => `the page does not show ${missing.join(', ')}`,
  );
}

test('a workflow counts, and its own metrics are shown', async () => {
  await cluster.submit(
    'counted',
    `
entrypoint: main
metrics:
  prometheus:
  - {name: ended, help: Ends, labels: [{key: status, value: "{{workflow.status}}"}], counter: {value: "1"}}
templates:
- name: main
  metrics:
    prometheus:
    - {name: steps_done, help: Done, when: "{{status}} == Succeeded", counter: {value: "2"}}
    - {name: steps_failed, help: Failed, when: "{{status}} == Failed", counter: {value: "1"}}
  container: {image: busybox, command: [sh]}
`,
  );
  const { status } = await cluster.over('counted');
  assert.equal(status?.phase, 'Succeeded');
  await shows(
    'argo_workflows_ended{status="Succeeded"} 1',
    'argo_workflows_steps_done 2',
    'argo_workflows_total_count{phase="Succeeded",namespace="default"} 1',
    'argo_workflows_pods_total_count{phase="Succeeded",namespace="default"} 1',
    'argo_workflows_is_leader 1',
  );
  const { body } = await workflowMetrics.page();
  assert.match(body, /^argo_workflows_queue_adds_count\{queue_name="workflow_queue"\} [1-9]/m);
  assert.doesNotMatch(body, /^argo_workflows_steps_failed/m);
});

test('workflows, pods and queues are shown under the names of Argo 3 as well', async () => {
  await cluster.submit('plain', ONE_STEP);
  await cluster.over('plain');
  await shows('argo_workflows_queue_depth_gauge{queue_name="workflow_queue"} 0');
  const { body } = await workflowMetrics.page();
  const shown = (sample: string): string | undefined =>
    body
      .split('\n')
      .find((line) => line.startsWith(`${sample} `))
      ?.slice(sample.length + 1);
  assert.match(shown('argo_workflows_gauge{phase="Succeeded"}') ?? '', /^[1-9]$/);
  for (const [name, before] of [
    ['argo_workflows_gauge{phase="Succeeded"}', 'argo_workflows_count{status="Succeeded"}'],
    ['argo_workflows_pods_gauge{phase="Running"}', 'argo_workflows_pods_count{status="Running"}'],
    [
      'argo_workflows_queue_depth_gauge{queue_name="workflow_ttl_queue"}',
      'argo_workflows_queue_depth_count{queue_name="workflow_ttl_queue"}',
    ],
    [
      'argo_workflows_workers_busy_count{worker_type="workflow_queue"}',
      'argo_workflows_workers_busy{worker_type="workflow_queue"}',
    ],
  ] as const) {
    assert.notEqual(shown(name), undefined, name);
    assert.equal(shown(before), shown(name), before);
  }
  for (const queue of ['workflow_queue', 'cron_wf_queue', 'workflow_ttl_queue', 'pod_cleanup_queue'])
    for (const name of ['longest_running', 'unfinished_work'])
      assert.match(shown(`argo_workflows_queue_${name}{queue_name="${queue}"}`) ?? '', /^[\d.]+$/, queue);
  const [rated, pods] = [
    'argo_workflows_resource_rate_limiter_latency_count',
    'argo_workflows_pods_total_count',
  ];
  assert.ok(Number(shown(rated)) >= Number(shown(`${pods}{phase="Succeeded",namespace="default"}`)));
});

test('locks are shown as they are held and wanted, and old spellings are counted', async () => {
  const labels = 'type="mutex",storage="configmap",lock_name="turn",namespace="default"';
  const spec = `{synchronization: {mutex: {name: turn}}, ${ONE_STEP.slice(1)}`;
  await cluster.submit('first', spec.replace('[sh]', '[sh], args: [wait]'));
  await cluster.when('first', ({ status }) => status?.phase === 'Running');
  await cluster.submit('second', spec);
  await cluster.when('second', ({ status }) => status?.phase === 'Pending');
  await shows(
    `argo_workflows_locks_held{${labels}} 1`,
    `argo_workflows_locks_pending{${labels}} 1`,
    `argo_workflows_locks_taken_total{${labels}} 1`,
    'argo_workflows_deprecated_feature{feature="synchronization mutex",namespace="default"} 2',
  );
  await cluster.patch('first', { spec: { shutdown: 'Terminate' } });
  await cluster.over('second');
  await shows(`argo_workflows_locks_taken_total{${labels}} 2`);
  await until(
    async () => !/^argo_workflows_locks_(held|pending)\{/m.test((await workflowMetrics.page()).body),
    () => 'a lock without holder is still shown',
  );
  const { body } = await workflowMetrics.page();
  assert.doesNotMatch(body, /^argo_workflows_pod_missing\{/m, 'a pod that was ended is not missing');
});

test('a pod that another client deletes is missing', async () => {
  await cluster.submit('bereft', ONE_STEP.replace('[sh]', '[sh], args: [wait]'));
  await cluster.when('bereft', ({ status }) =>
    Object.values(status?.nodes ?? {}).some(({ type, phase }) => type === 'Pod' && phase === 'Running'),
  );
  for (const { metadata } of await cluster.pods('bereft'))
    await cluster.client.delete(PODS, metadata.name, { namespace: 'default', gracePeriodSeconds: 0 });
  await cluster.over('bereft');
  // Recently is ten seconds ago, which a busy machine may need for all this.
  await shows(
    /^argo_workflows_pod_missing\{node_phase="Running",recently_started="(?:true|false)"\} 1$/m,
    /^argo_pod_missing\{node_phase="Running",recently_started="(?:true|false)"\} 1$/m,
  );
});

test('a CronWorkflow with an old spelling is counted once for each spec', async () => {
  const cron = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'CronWorkflow',
    metadata: { name: 'old', namespace: 'default' },
    spec: { schedule: '0 2 * * *', suspend: true, workflowSpec: parse(ONE_STEP) },
  };
  await cluster.client.create(CRON_WORKFLOWS, cron, { namespace: 'default' });
  await shows('argo_workflows_deprecated_feature{feature="cronworkflow schedule",namespace="default"} 1');
});

test('a workflow that ends by an exception is counted as one of the controller', async () => {
  await cluster.submit('unreadable', `{suspend: true, ${ONE_STEP.slice(1)}`, { labels: FOREIGN });
  const labels = { 'workflows.argoproj.io/controller-instanceid': null };
  await cluster.patch('unreadable', {
    metadata: { labels },
    status: { phase: 'Running', compressedNodes: 'AA==' },
  });
  const { status } = await cluster.over('unreadable');
  assert.equal(status?.phase, 'Error');
  await shows('argo_workflows_error_count{cause="OperationPanic"} 1');
});

test('a metric of a workflow may not have the name of one of the controller', async () => {
  await cluster.submit(
    'greedy',
    `{metrics: {prometheus: [{name: gauge, help: h, counter: {value: "1"}}]}, ${ONE_STEP.slice(1)}`,
  );
  const { status } = await cluster.when('greedy', ({ status: seen }) =>
    (seen?.conditions ?? []).some(({ type }) => type === 'MetricsError'),
  );
  assert.equal(
    status?.conditions?.find(({ type }) => type === 'MetricsError')?.message,
    'metric argo_workflows_gauge is one of the controller; it needs another name',
  );
});

test('a metric that cannot be shown is a condition of the workflow, which is not held up', async () => {
  await cluster.submit(
    'wrong',
    '{entrypoint: main, metrics: {prometheus: [{name: a-b, help: h, counter: {value: "1"}}]}, templates: [{name: main, container: {image: busybox, command: [sh]}}]}',
  );
  const { status } = await cluster.when(
    'wrong',
    ({ status: seen }) =>
      (seen?.conditions ?? []).some(({ type }) => type === 'MetricsError') && seen?.phase === 'Succeeded',
  );
  const message = 'metric a-b: the name "a-b" may have letters, digits and _ only';
  assert.deepEqual(
    status?.conditions?.find(({ type }) => type === 'MetricsError'),
    { type: 'MetricsError', status: 'True', message },
  );
});
