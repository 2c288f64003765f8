import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Deployment, KubeObject, Node, Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, NODES, PODS, type Resource } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/index';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { startEmbeddedCluster } from './cluster/start.ts';
import type { EmbeddedCluster } from './cluster/types.ts';
import { AGENT_ANNOTATION } from './node/agent-mode.ts';

const namespace = 'default';
const timeoutMs = PATIENCE_MS;
let cluster: EmbeddedCluster;
let client: KubeClient;

before(async () => {
  cluster = await startEmbeddedCluster({
    nodes: 3,
    runtime: 'simulated',
    nodeGraceMs: 2_000,
    nodeLabels: { '*': { team: 'web' }, 'turnsole-2': { disk: 'ssd' } },
  });
  client = createClient(cluster.adminConfig);
  await client.create<Deployment>(
    DEPLOYMENTS,
    {
      metadata: { name: 'web' },
      spec: {
        replicas: 6,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            containers: [{ name: 'c', image: 'x' }],
            tolerations: ['not-ready', 'unreachable'].map((reason) => ({
              key: `node.kubernetes.io/${reason}`,
              operator: 'Exists',
              effect: 'NoExecute',
              tolerationSeconds: 1,
            })),
          },
        },
      },
    },
    { namespace },
  );
  await allReady();
});
after(async () => {
  client.close();
  await cluster.close();
});

function until<T extends KubeObject>(
  resource: Resource,
  name: string,
  holds: (object: T | undefined) => boolean,
  options: { namespace?: string } = {},
): Promise<T | undefined> {
  return waitForObject<T>(client, resource, name, holds, { ...options, timeoutMs });
}

const allReady = (): Promise<unknown> =>
  until<Deployment>(DEPLOYMENTS, 'web', (web) => web?.status?.readyReplicas === 6, { namespace });
const readyOf = (node: Node | undefined): string | undefined =>
  node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
const podsOn = (node: string, holds: (pods: readonly Pod[]) => boolean): Promise<readonly Pod[]> =>
  waitForList<Pod>(client, PODS, holds, { fieldSelector: `spec.nodeName=${node}`, timeoutMs });
const setAgent = (node: string, mode: string | null): Promise<Node> =>
  client.patch<Node>(NODES, node, 'merge', { metadata: { annotations: { [AGENT_ANNOTATION]: mode } } });

test('nodes differ: names, zones, addresses, labels that were asked for', async () => {
  const { items } = await client.list<Node>(NODES, {});
  const labels = items.map(({ metadata }) => metadata.labels ?? {});
  assert.deepEqual(
    labels.map((node) => [node['kubernetes.io/hostname'], node['topology.kubernetes.io/zone'], node.disk]),
    [
      ['turnsole-1', 'turnsole-a', undefined],
      ['turnsole-2', 'turnsole-b', 'ssd'],
      ['turnsole-3', 'turnsole-c', undefined],
    ],
  );
  assert.ok(labels.every(({ team }) => team === 'web'));
  assert.equal(new Set(items.map(({ status }) => status?.addresses?.[0]?.address)).size, 3);
});

test('a node whose agent is stopped is lost, its pods are replaced, and it comes back clean', async () => {
  const node = 'turnsole-1';
  const before = await podsOn(node, (pods) => pods.length > 0);
  await setAgent(node, 'stopped');
  const lost = await until<Node>(
    NODES,
    node,
    (found) => readyOf(found) === 'Unknown' && (found?.spec?.taints?.length ?? 0) === 2,
  );
  assert.equal(
    lost?.status?.conditions?.find(({ type }) => type === 'Ready')?.message,
    'Kubelet stopped posting node status.',
  );
  const going = await podsOn(node, (pods) =>
    pods.every(({ metadata }) => metadata.deletionTimestamp !== undefined),
  );
  assert.equal(going.length, before.length, 'no agent is there to end them: they stay Terminating');
  await allReady();
  await setAgent(node, null);
  await podsOn(node, (pods) => pods.length === 0);
  await until<Node>(
    NODES,
    node,
    (found) => readyOf(found) === 'True' && (found?.spec?.taints ?? []).length === 0,
  );
});

test('a node without power that comes back in time starts its pods again', async () => {
  const node = 'turnsole-2';
  const before = await podsOn(node, (pods) => pods.length > 0);
  await setAgent(node, 'off');
  await setAgent(node, null);
  const after = await podsOn(node, (pods) =>
    pods.every(({ status }) => status?.containerStatuses?.[0]?.restartCount === 1),
  );
  assert.deepEqual(
    after.map(({ metadata }) => metadata.uid).sort(),
    before.map(({ metadata }) => metadata.uid).sort(),
  );
  await allReady();
});

test('kubectl cordons, drains and taints', {
  skip: hasKubectl() ? false : 'there is no kubectl',
}, async () => {
  const kubectl = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)('kubectl', [
      '--kubeconfig',
      cluster.kubeconfigPath,
      ...args,
    ]);
    return stdout;
  };
  assert.match(await kubectl('cordon', 'turnsole-3'), /cordoned/);
  assert.match(await kubectl('drain', 'turnsole-3', '--ignore-daemonsets'), /drained/);
  await podsOn('turnsole-3', (pods) => pods.length === 0);
  assert.match(await kubectl('get', 'node', 'turnsole-3'), /Ready,SchedulingDisabled/);
  await kubectl('uncordon', 'turnsole-3');
  await kubectl('taint', 'nodes', 'turnsole-2', 'key=value:NoExecute');
  await podsOn('turnsole-2', (pods) => pods.length === 0);
  await allReady();
  await kubectl('taint', 'nodes', 'turnsole-2', 'key-');
});

function hasKubectl(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
