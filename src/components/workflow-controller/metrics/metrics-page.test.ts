/** The page of the program itself: a process with its own client and log, looked at as Prometheus does it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { freePorts } from '@turnsole/kube/base/free-ports';
import type { ConfigMap } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { TurnsoleProcess } from '../../../../test/support/turnsole.ts';
import { startWorkflowCluster, type WorkflowCluster } from '../../../../test/support/workflow-cluster.ts';
import { packageVersion } from '../../../process/version.ts';

const ONE_STEP = '{entrypoint: main, templates: [{name: main, container: {image: busybox, command: [sh]}}]}';
/** promtool objects to some names that Argo gave its metrics; these cannot be changed. */
const NAMING = / metrics should (not )?have "_(total|count)" suffix$| should not include type 'gauge'$/;

let cluster: WorkflowCluster;
before(async () => {
  cluster = await startWorkflowCluster();
});
after(() => cluster.close());

/** The page after the run of a workflow. */
async function pageAfter(workflow: string): Promise<string> {
  const [port = 0] = await freePorts(1);
  await using program = new TurnsoleProcess([
    'workflow-controller',
    '-namespaced',
    `-kubeconfig=${cluster.kubeconfigPath}`,
    `-metrics-bind-address=127.0.0.1:${port}`,
    '-health-probe-bind-address=0',
  ]);
  await program.line(/workflow controller started/);
  await cluster.submit(workflow, ONE_STEP);
  await cluster.over(workflow);
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  assert.equal((await program.stop('SIGTERM')).code, 0);
  return page;
}

test('the page shows requests, lines of the log and the version, and promtool reads it', async (t) => {
  const page = await pageAfter('seen');
  for (const sample of [
    /^argo_workflows_k8s_request_duration_count\{kind="workflows",verb="patch",status_code="200"\} [2-9]$/m,
    /^argo_workflows_k8s_request_duration_bucket\{le="180",kind="pods",verb="create",status_code="201"\} 1$/m,
    /^argo_workflows_log_messages\{level="info"\} [1-9]/m,
    /^argo_workflows_log_messages\{level="error"\} 0$/m,
    /^log_messages\{level="info"\} [1-9]/m,
    /^argo_workflows_count\{status="Succeeded"\} \d$/m,
    new RegExp(`^argo_workflows_version\\{version="${packageVersion()}",platform="linux/`, 'm'),
  ])
    assert.match(page, sample);

  const promtool = spawn('promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] });
  const missing = once(promtool, 'error').then(() => 'missing' as const);
  promtool.stdin.on('error', () => {}).end(page);
  const said = await Promise.race([missing, Promise.all([text(promtool.stdout), text(promtool.stderr)])]);
  if (said === 'missing') {
    t.skip('promtool is not installed');
    return;
  }
  const complaints = said
    .join('')
    .split('\n')
    .filter((line) => line !== '' && !NAMING.test(line));
  assert.deepEqual(complaints, []);
});

test('the names of Argo 3 are left out where the configuration says so', async () => {
  const map: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'workflow-controller-configmap', namespace: 'default' },
    data: { metricsConfig: 'disableLegacy: true' },
  };
  await cluster.client.create(CONFIG_MAPS, map, { namespace: 'default' });
  const page = await pageAfter('modern');
  assert.match(page, /^argo_workflows_gauge\{phase="Succeeded"\} \d$/m);
  assert.doesNotMatch(page, /argo_workflows_count|argo_workflows_pods_count|argo_pod_missing|^log_messages/m);
});
