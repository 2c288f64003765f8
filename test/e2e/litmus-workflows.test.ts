/** Workflows of LitmusChaos on a cluster of `turnsole up`. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isolationMissing } from '@turnsole/cluster/node/testing/isolation-missing';
import type { Lease, Pod } from '@turnsole/kube/kinds/core';
import { LEASES, PODS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { CHAOS_ENGINES, type ChaosEngine } from '../../src/api/index.ts';
import { kubectlWatch } from '../support/kubectl-watch.ts';
import { gone, logOf, podNodes, resultOf, workflowOver } from '../support/litmus-run.ts';
import { chartWorkflow, studioWorkflow } from '../support/litmus-workflows.ts';
import { webApp } from '../support/manifests.ts';
import { applyText, type DetachedCluster, detachedCluster, output } from '../support/up.ts';

const PLACE = { namespace: 'default', timeoutMs: PATIENCE_MS } as const;
const LITMUS = { namespace: 'default', app: 'web', instanceId: 'infra-1' } as const;

/** A watch of the list shows the workflow from its beginning. */
const ONLY_CHART = ['--field-selector', 'metadata.name=chart'];

/** The accounts that LitmusChaos makes for its infrastructure. */
const ACCOUNTS = ['argo-chaos', 'litmus-admin']
  .map(
    (name) => `
apiVersion: v1
kind: ServiceAccount
metadata: { name: ${name}, namespace: default }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: ${name} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
subjects: [{ kind: ServiceAccount, name: ${name}, namespace: default }]
`,
  )
  .join('---');

// User 1000 and a folder /tmp of one's own are there for isolated pods only.
const notIsolated = (await isolationMissing()) ?? false;

const hasKubectl = await output('kubectl', ['version', '--client']).then(
  () => true,
  () => false,
);

describe('workflows of LitmusChaos', () => {
  let cluster: DetachedCluster;
  before(async () => {
    cluster = await detachedCluster();
    await applyText(cluster.client, `${webApp(2)}\n---\n${ACCOUNTS}`);
  });
  after(() => cluster?.[Symbol.asyncDispose]());

  const submit = (text: string): Promise<void> => applyText(cluster.client, text);
  const stored = (name: string): Promise<Workflow> => cluster.client.get<Workflow>(WORKFLOWS, name, PLACE);
  const phases = (workflow: Workflow): Record<string, string> =>
    Object.fromEntries([...podNodes(workflow)].map(([name, { phase }]) => [name, phase ?? '']));

  it('one of the web studio runs: faults are installed, its engine has a verdict, and all is cleaned up', {
    skip: notIsolated,
  }, async () => {
    await submit(studioWorkflow('studio-1700000000000', LITMUS));
    const workflow = await workflowOver(cluster.client, 'studio-1700000000000', PLACE);
    assert.equal(workflow.status?.phase, 'Succeeded', JSON.stringify(workflow.status));
    const nodes = podNodes(workflow);
    const [install, checker, cleanup] = [
      'install-chaos-faults',
      'pod-delete-ji5',
      'cleanup-chaos-resources',
    ].map((name) => nodes.get(name));
    assert.ok(install !== undefined && checker !== undefined && cleanup !== undefined);

    // Files are there for user 1000, nothing else has the name of a manifest, and the folder may be written.
    const installed = await logOf(cluster.client, install, 'default');
    assert.match(installed, /^1000\nanother\.yaml\npod-delete\.yaml\n/);
    assert.match(installed, /chaosexperiment\.litmuschaos\.io\/pod-delete (created|serverside-applied)/);

    // The subscriber takes the engine from the node's input, and its name from the log of the pod of the node's id.
    assert.match(checker.id, /^studio-1700000000000-\d{1,10}$/);
    const [artifact] = checker.inputs?.artifacts ?? [];
    const data = String((artifact?.raw as { readonly data?: string } | undefined)?.data);
    assert.match(
      data,
      new RegExp(`workflow_run_id: "${workflow.metadata.uid}".*step_pod_name: "${checker.id}"`),
    );
    const [, engine = ''] =
      /ChaosEngine Name : ([\w-]+)/.exec(await logOf(cluster.client, checker, 'default')) ?? [];
    const result = await resultOf(cluster.client, engine, 'default');
    assert.equal(result?.status?.experimentStatus?.verdict, 'Pass');
    assert.equal(await cluster.client.find(CHAOS_ENGINES, engine, PLACE), undefined);
    assert.match(await logOf(cluster.client, cleanup, 'default'), new RegExp(`"${engine}" deleted`));

    const pod = await cluster.client.get<Pod>(PODS, checker.id, PLACE);
    assert.equal(pod.metadata.labels?.['workflows.argoproj.io/workflow'], 'studio-1700000000000');
    assert.equal(pod.metadata.labels?.['workflows.argoproj.io/controller-instanceid'], 'infra-1');
    // Of podGC OnWorkflowCompletion; the delay leaves the subscriber time for the logs.
    await gone(cluster.client, PODS, checker.id, PLACE);
  });

  it('one of a chart runs; its pods stay until it is deleted, and then go with it', async () => {
    await using watched = hasKubectl ? kubectlWatch(cluster.kubeconfig, 'wf', ...ONLY_CHART) : undefined;
    await submit(chartWorkflow('chart', LITMUS));
    const workflow = await workflowOver(cluster.client, 'chart', PLACE);
    assert.deepEqual(phases(workflow), {
      'install-chaos-experiments': 'Succeeded',
      'pod-delete': 'Succeeded',
      load: 'Succeeded',
      'revert-chaos': 'Succeeded',
    });
    const result = await resultOf(cluster.client, 'chart-chaos', 'default');
    assert.equal(result?.status?.experimentStatus?.verdict, 'Pass');
    const load = podNodes(workflow).get('load');
    assert.ok(load !== undefined);
    assert.equal(await logOf(cluster.client, load, 'default'), 'load 2');
    if (hasKubectl) {
      const shown = await output('kubectl', ['--kubeconfig', cluster.kubeconfig, 'get', 'wf', 'chart']);
      assert.match(shown, /^NAME +STATUS +AGE +MESSAGE\nchart +Succeeded +\S+/);
    }
    const lines = await watched?.until(/^chart +Succeeded\b/, AbortSignal.timeout(PLACE.timeoutMs));
    // It may have begun before the controller saw it, and is shown anew with every step.
    if (lines !== undefined)
      assert.match(
        lines.join('\n'),
        /^NAME .*\n(?:chart .*\n)*chart +Running\b.*\n(?:chart .*\n)*chart +Succeeded\b/,
      );
    await cluster.client.delete(WORKFLOWS, 'chart', PLACE);
    const labelSelector = 'workflows.argoproj.io/workflow=chart';
    await waitForList<Pod>(cluster.client, PODS, (pods) => pods.length === 0, { ...PLACE, labelSelector });
  });

  it('is stopped as Litmus does it: the engine reverts, the checker ends well, nothing else starts', async () => {
    // Where pods are plain processes the folder /tmp is the host's.
    await submit(studioWorkflow('stopped', LITMUS, 60).replace('&& ls /tmp && touch /tmp/written', ''));
    const isRunning = (found: Workflow | undefined): boolean =>
      found !== undefined && podNodes(found).get('pod-delete-ji5')?.phase === 'Running';
    await waitForObject<Workflow>(cluster.client, WORKFLOWS, 'stopped', isRunning, PLACE);
    const labelSelector = `workflow_run_id=${(await stored('stopped')).metadata.uid}`;
    const started = (engines: readonly ChaosEngine[]): boolean =>
      engines.some(({ status }) => status?.engineStatus === 'initialized');
    const [engine] = await waitForList<ChaosEngine>(cluster.client, CHAOS_ENGINES, started, {
      ...PLACE,
      labelSelector,
    });
    assert.ok(engine !== undefined);
    const stop = { spec: { engineState: 'stop' } };
    await cluster.client.patch(CHAOS_ENGINES, engine.metadata.name, 'merge', stop, PLACE);
    await cluster.client.patch(WORKFLOWS, 'stopped', 'merge', { spec: { shutdown: 'Stop' } }, PLACE);
    const workflow = await workflowOver(cluster.client, 'stopped', PLACE);
    assert.equal(workflow.status?.phase, 'Failed');
    assert.equal(workflow.status?.message, "Stopped with strategy 'Stop'");
    const checker = podNodes(workflow).get('pod-delete-ji5');
    assert.equal(checker?.phase, 'Succeeded', JSON.stringify(checker));
    await cluster.client.delete(WORKFLOWS, 'stopped', PLACE);
    await gone(cluster.client, WORKFLOWS, 'stopped', PLACE);
  });

  it('a step that fails ends the run, before its engine and its clean-up', async () => {
    await submit(studioWorkflow('failing', LITMUS).replace('&& ls /tmp', '&& exit 3'));
    const workflow = await workflowOver(cluster.client, 'failing', PLACE);
    assert.equal(workflow.status?.phase, 'Failed');
    assert.deepEqual(phases(workflow), { 'install-chaos-faults': 'Failed' });
  });

  it('leaves the workflows of another controller alone, as long as that one leads', async () => {
    const lease: Lease = {
      metadata: { name: 'workflow-controller-other' },
      spec: { holderIdentity: 'them', renewTime: new Date().toISOString(), leaseDurationSeconds: 3600 },
    };
    await cluster.client.create<Lease>(LEASES, lease, PLACE);
    await submit(
      studioWorkflow('foreign', { ...LITMUS, instanceId: 'other' }).replace('&& ls /tmp', '&& exit 3'),
    );
    // One of its own that comes later is over before anything has happened to the foreign one.
    await submit(studioWorkflow('later', LITMUS).replace('&& ls /tmp', '&& exit 3'));
    await workflowOver(cluster.client, 'later', PLACE);
    assert.equal((await stored('foreign')).status?.phase, undefined);
    const released = { spec: { holderIdentity: '' } };
    await cluster.client.patch(LEASES, 'workflow-controller-other', 'merge', released, PLACE);
    assert.equal((await workflowOver(cluster.client, 'foreign', PLACE)).status?.phase, 'Failed');
  });
});
