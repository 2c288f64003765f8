/** What works beside the runs of workflows, on the embedded cluster with simulated pods. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CoreEvent, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import {
  EVENTS,
  PERSISTENT_VOLUME_CLAIMS,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type Resource,
} from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/index';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { CronWorkflow } from '@turnsole/workflows/kinds/cron-workflow';
import { CRON_WORKFLOWS, WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { startWorkflowCluster, type WorkflowCluster } from '../../../test/support/workflow-cluster.ts';

const PLACE = { namespace: 'default', timeoutMs: PATIENCE_MS };
const OK = 'templates: [{name: main, container: {image: busybox, command: [sh]}}]';
const BAD = 'templates: [{name: main, container: {image: busybox, command: [sh], args: [exit, "1"]}}]';

let cluster: WorkflowCluster;
before(async () => {
  cluster = await startWorkflowCluster();
  await cluster.start();
});
after(() => cluster.close());

function gone(resource: Resource, name: string): Promise<unknown> {
  return waitForObject(cluster.client, resource, name, (object) => object === undefined, PLACE);
}

function podsWhen(name: string, isWanted: (pods: readonly Pod[]) => boolean): Promise<readonly Pod[]> {
  const labelSelector = `workflows.argoproj.io/workflow=${name}`;
  return waitForList<Pod>(cluster.client, PODS, isWanted, { ...PLACE, labelSelector });
}

test('a workflow goes after its time to live, and its pods with it', async () => {
  await cluster.submit('ttl', `{entrypoint: main, ttlStrategy: {secondsAfterCompletion: 0}, ${OK}}`);
  await gone(WORKFLOWS, 'ttl');
  await podsWhen('ttl', (pods) => pods.length === 0);
});

test('pods go when their nodes are recorded', async () => {
  await cluster.submit(
    'gc',
    `{entrypoint: main, podGC: {strategy: OnPodCompletion, deleteDelayDuration: 0s}, ${OK}}`,
  );
  await cluster.over('gc');
  await podsWhen('gc', (pods) => pods.length === 0);
});

test('pods go with the end of their workflow, and those that are not selected stay', async () => {
  const templates = `
templates:
- {name: main, steps: [[{name: a, template: a}], [{name: b, template: b}]]}
- {name: a, metadata: {labels: {keep: "no"}}, container: {image: busybox, command: [sh]}}
- {name: b, container: {image: busybox, command: [sh]}}`;
  const podGc =
    '{strategy: OnWorkflowSuccess, deleteDelayDuration: 0s, labelSelector: {matchLabels: {keep: "no"}}}';
  await cluster.submit('gc-end', `entrypoint: main\npodGC: ${podGc}${templates}`);
  await cluster.over('gc-end');
  const left = await podsWhen('gc-end', (pods) => pods.length === 1);
  assert.equal(left[0]?.metadata.labels?.['keep'], undefined);
});

const CLAIMS =
  'volumeClaimTemplates: [{metadata: {name: work}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]';

test('claims are made before the first pod and go after a success', async () => {
  await cluster.submit('claims', `{entrypoint: main, ${CLAIMS}, ${OK}}`);
  const begun = await cluster.when('claims', ({ status }) => status?.persistentVolumeClaims !== undefined);
  assert.deepEqual(begun.status?.persistentVolumeClaims, [
    { name: 'work', persistentVolumeClaim: { claimName: 'claims-work' } },
  ]);
  await gone(PERSISTENT_VOLUME_CLAIMS, 'claims-work');
  await cluster.when('claims', ({ status }) => status?.persistentVolumeClaims === undefined);
});

test('claims of a workflow that has failed stay', async () => {
  await cluster.submit('claims-kept', `{entrypoint: main, ${CLAIMS}, ${BAD}}`);
  const { status } = await cluster.over('claims-kept');
  assert.equal(status?.phase, 'Failed');
  assert.equal(status.persistentVolumeClaims?.length, 1);
  assert.ok(
    await cluster.client.find(PERSISTENT_VOLUME_CLAIMS, 'claims-kept-work', { namespace: 'default' }),
  );
});

test('a claim of another owner is not taken, and the workflow names it', async () => {
  const foreign = {
    metadata: { name: 'foreign-work' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  await cluster.client.create(PERSISTENT_VOLUME_CLAIMS, foreign as KubeObject, { namespace: 'default' });
  await cluster.submit('foreign', `{entrypoint: main, ${CLAIMS}, ${OK}}`);
  const { status } = await cluster.over('foreign');
  assert.deepEqual(
    [status?.phase, status?.message],
    [
      'Error',
      'PersistentVolumeClaim foreign-work is there already and is not of this workflow: delete it, or rename the workflow',
    ],
  );
});

test('the disruption budget is there while it runs', async () => {
  const slow = 'templates: [{name: main, container: {image: busybox, command: [sh], args: [run, "300"]}}]';
  await cluster.submit('budget', `{entrypoint: main, podDisruptionBudget: {minAvailable: 1}, ${slow}}`);
  await cluster.when('budget', ({ status }) => status?.phase === 'Running');
  assert.ok(await cluster.client.find(POD_DISRUPTION_BUDGETS, 'budget', { namespace: 'default' }));
  await cluster.over('budget');
  await gone(POD_DISRUPTION_BUDGETS, 'budget');
});

test('Events report the workflow and its node', async () => {
  await cluster.submit('told', `{entrypoint: main, ${OK}}`);
  await cluster.over('told');
  const isOf = ({ involvedObject }: CoreEvent): boolean =>
    involvedObject.kind === 'Workflow' && involvedObject.name === 'told';
  const isEnd = (event: CoreEvent): boolean => isOf(event) && event.reason === 'WorkflowSucceeded';
  const events = await waitForList<CoreEvent>(cluster.client, EVENTS, (all) => all.some(isEnd), PLACE);
  assert.deepEqual(
    events
      .filter(isOf)
      .map(({ reason, message }) => `${reason}: ${message}`)
      .toSorted(),
    [
      'WorkflowNodeRunning: Running node told',
      'WorkflowNodeSucceeded: Succeeded node told',
      'WorkflowRunning: Workflow Running',
      'WorkflowSucceeded: Workflow completed',
    ],
  );
});

test('a CronWorkflow starts workflows, they run, and their ends are counted', async () => {
  const cron: CronWorkflow = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'CronWorkflow',
    metadata: { name: 'often', namespace: 'default' },
    spec: {
      schedules: ['@every 1s'],
      concurrencyPolicy: 'Forbid',
      workflowSpec: {
        entrypoint: 'main',
        templates: [{ name: 'main', container: { image: 'busybox', command: ['sh'] } }],
      },
    },
  };
  await cluster.client.create<CronWorkflow>(CRON_WORKFLOWS, cron, PLACE);
  const isCounted = (seen: CronWorkflow | undefined): boolean => (seen?.status?.succeeded ?? 0) >= 2;
  await waitForObject<CronWorkflow>(cluster.client, CRON_WORKFLOWS, 'often', isCounted, PLACE);
  await cluster.client.delete(CRON_WORKFLOWS, 'often', PLACE);
  const left = (all: readonly Workflow[]): boolean =>
    !all.some(({ metadata }) => metadata.name.startsWith('often-'));
  await waitForList<Workflow>(cluster.client, WORKFLOWS, left, PLACE);
});
