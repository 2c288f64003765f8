/** Metrics of workflows that run, on the embedded cluster with simulated pods. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startWorkflowCluster, type WorkflowCluster } from '../../../../test/support/workflow-cluster.ts';
import { until } from '../../../kube/testing/until.ts';
import { createMetrics } from '../../../process/metrics.ts';
import { WorkflowMetrics } from './workflow-metrics.ts';

let cluster: WorkflowCluster;
const workflowMetrics = new WorkflowMetrics(createMetrics({ withProcess: false }));
before(async () => {
  cluster = await startWorkflowCluster();
  await cluster.start({ workflowMetrics, metrics: workflowMetrics.queue('workflow_queue') });
});
after(() => cluster.close());

/** Resolves when the page shows these lines: a write is seen by others before the controller has heard of it. */
async function shows(...expected: readonly string[]): Promise<void> {
  let missing = expected;
  await until(
    async () => {
      const { body } = await workflowMetrics.page();
      const lines = new Set(body.split('\n'));
      missing = expected.filter((line) => !lines.has(line));
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
