/** Built-in workflow controllers beside pods of others, and by the ConfigMaps of others. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import type { ConfigMap, CoreEvent, Pod, PodStatus } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, EVENTS, NAMESPACES, PODS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { startWorkflowCluster, type WorkflowCluster } from '../../../../test/support/workflow-cluster.ts';
import { startLocalWorkflows } from './local-workflows.ts';

const PLACE = { namespace: 'default', timeoutMs: PATIENCE_MS } as const;
const PEER = 'workflow-controller';
const SUSPENDED = '{entrypoint: main, templates: [{name: main, suspend: {}}]}';
const ID_LABEL = 'workflows.argoproj.io/controller-instanceid';

let cluster: WorkflowCluster;
let local: { stop(): Promise<void> };
const warnings: string[] = [];
before(async () => {
  cluster = await startWorkflowCluster();
  for (const name of ['argo', 'shop']) await cluster.client.create(NAMESPACES, { metadata: { name } });
  local = await startLocalWorkflows({
    client: cluster.client,
    logger: silentLogger,
    artifacts: '/nowhere',
    isYielding: true,
    imageOf: () => undefined,
    otel: {},
    traces: undefined,
    warn: (sentence) => warnings.push(sentence),
    signal: new AbortController().signal,
  });
});
after(async () => {
  await local?.stop();
  await cluster?.close();
});

/** A pod of another controller, on a node that is not there: its status is what the test says. */
async function peer(name: string, args: readonly string[], namespace = 'default'): Promise<void> {
  await cluster.client.create<Pod>(
    PODS,
    {
      metadata: { name, labels: { app: PEER } },
      spec: {
        nodeName: 'elsewhere',
        containers: [{ name: 'c', image: 'argoproj/workflow-controller:v3.5.0', args: [...args] }],
      },
    },
    { namespace },
  );
}

async function becomes(name: string, ready: boolean, waiting?: string, namespace = 'default'): Promise<void> {
  const now = new Date().toISOString();
  const state = waiting === undefined ? { running: { startedAt: now } } : { waiting: { reason: waiting } };
  const status: PodStatus = {
    phase: 'Running',
    containerStatuses: [{ name: 'c', ready, restartCount: 0, image: '', imageID: '', state }],
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: now }],
  };
  await cluster.client.patch(PODS, name, 'merge', { status }, { namespace, subresource: 'status' });
}

/** Resolves with the message of an Event about an object. */
async function told(name: string, reason: string, namespace = 'default'): Promise<string> {
  const isIt = ({ involvedObject, reason: given }: CoreEvent): boolean =>
    involvedObject.name === name && given === reason;
  let message = '';
  await waitForList<CoreEvent>(
    cluster.client,
    EVENTS,
    (events) => {
      message = events.find(isIt)?.message ?? '';
      return message !== '';
    },
    { namespace, timeoutMs: PATIENCE_MS },
  );
  return message;
}

const begins = (name: string): Promise<Workflow> =>
  cluster.when(name, ({ status }) => status?.phase === 'Running');

test("another controller has what its pod serves, while that works: an instance id, a namespace, or all; the rest is the built-in one's", async () => {
  await cluster.submit('before', SUSPENDED);
  await begins('before');

  // It can never start: nothing changes.
  await peer('broken', ['--namespaced']);
  await becomes('broken', false, 'ImagePullBackOff');
  await cluster.submit('beside-broken', SUSPENDED);
  await begins('beside-broken');

  // It serves one id only: workflows without one are not its own.
  await peer('of-id', ['-instanceid=theirs']);
  await becomes('of-id', true);
  await cluster.submit('without-id', SUSPENDED);
  await begins('without-id');
  await cluster.submit('with-id', SUSPENDED, { labels: { [ID_LABEL]: 'theirs' } });
  assert.match(
    await told('of-id', 'BuiltInStandsAside'),
    /leaves workflows of instance theirs of all namespaces to this pod/,
  );

  // It serves one namespace only.
  await peer('of-shop', ['--namespaced'], 'shop');
  await becomes('of-shop', true, undefined, 'shop');
  assert.match(
    await told('of-shop', 'BuiltInStandsAside', 'shop'),
    /workflows without an instance id of namespace shop to/,
  );
  await cluster.client.create(
    WORKFLOWS,
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Workflow',
      metadata: { name: 'theirs' },
      spec: { entrypoint: 'main', templates: [{ name: 'main', suspend: {} }] },
    } as never,
    { namespace: 'shop' },
  );
  await cluster.submit('outside-of-shop', SUSPENDED);
  await begins('outside-of-shop');
  const theirs = await cluster.client.get<Workflow>(WORKFLOWS, 'theirs', { namespace: 'shop' });
  assert.equal(theirs.status, undefined, 'left to the pod in its namespace');

  // It crashes: what it had is taken over.
  await becomes('of-shop', false, 'CrashLoopBackOff', 'shop');
  await waitForObject<Workflow>(
    cluster.client,
    WORKFLOWS,
    'theirs',
    (found) => found?.status?.phase === 'Running',
    { namespace: 'shop', timeoutMs: PATIENCE_MS },
  );
  assert.match(await told('of-shop', 'BuiltInTakesOver', 'shop'), /this pod is not ready/);
  await becomes('of-id', false, 'CrashLoopBackOff');
  await begins('with-id');
});

test('the ConfigMap of the namespace argo is read, followed, and told about; one that cannot be used runs nothing', async () => {
  const configMap = (name: string, data: Record<string, string>, namespace: string): Promise<ConfigMap> =>
    cluster.client.create<ConfigMap>(CONFIG_MAPS, { metadata: { name }, data }, { namespace });
  const name = 'workflow-controller-configmap';
  const defaults = (label: string): string => `metadata: { labels: { by: ${label} } }\n`;
  await configMap(name, { workflowDefaults: defaults('default'), parallelism: '0' }, 'default');
  await configMap(name, { workflowDefaults: defaults('argo'), links: '[]', unheard: 'of' }, 'argo');
  assert.match(await told(name, 'ConfigurationWithoutEffect', 'argo'), /unheard: the key is not known/);
  assert.match(await told(name, 'ConfigurationRead', 'argo'), /workflowDefaults/);
  const labelOf = async (workflow: string, id?: string): Promise<string | undefined> => {
    await cluster.submit(workflow, SUSPENDED, id === undefined ? {} : { labels: { [ID_LABEL]: id } });
    const { metadata } = await begins(workflow);
    return metadata.labels?.by;
  };
  assert.equal(await labelOf('configured'), 'argo');
  const change = { data: { workflowDefaults: defaults('changed') } };
  const changed = await cluster.client.patch(CONFIG_MAPS, name, 'merge', change, { namespace: 'argo' });
  assert.ok(changed.metadata.resourceVersion);
  await waitForList<CoreEvent>(
    cluster.client,
    EVENTS,
    (events) => events.some(({ reason, count = 1 }) => reason === 'ConfigurationRead' && count > 1),
    { namespace: 'argo', timeoutMs: PATIENCE_MS },
  );
  assert.equal(await labelOf('reconfigured'), 'changed');

  // That of an instance id counts for its workflows, wherever it is.
  await configMap('other', {}, 'shop');
  await configMap(name, { instanceID: 'ours', workflowDefaults: defaults('ours') }, 'shop');
  assert.equal(await labelOf('of-ours', 'ours'), 'ours');

  const refused = { data: { instanceID: 'refused', persistence: 'connectionPool: { maxIdleConns: 1 }' } };
  await cluster.client.patch(CONFIG_MAPS, name, 'merge', refused, { namespace: 'default' });
  await cluster.submit('refused', SUSPENDED, { labels: { [ID_LABEL]: 'refused' } });
  assert.match(
    await told('refused', 'ConfigurationRefused'),
    /default\/.* no workflow is run .*persistence: /,
  );
  assert.match(warnings.join(), /persistence: there is no archive/);
  assert.equal((await cluster.client.get<Workflow>(WORKFLOWS, 'refused', PLACE)).status, undefined);
  await cluster.client.patch(CONFIG_MAPS, name, 'merge', { data: { persistence: null } }, PLACE);
  await begins('refused');
});
