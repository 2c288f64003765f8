import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { NODES, PODS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/index';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { turnsole } from '../support/turnsole.ts';
import { detachedCluster } from '../support/up.ts';

const NAMESPACE = 'default';
const ANNOTATION = 'turnsole.io/node-agent';

function podOn(nodeName: string): Pod {
  return {
    metadata: { name: `on-${nodeName}` },
    spec: { nodeName, containers: [{ name: 'web', image: 'shop/web:1' }] },
  };
}

async function running(client: KubeClient, nodeName: string): Promise<void> {
  await client.create<Pod>(PODS, podOn(nodeName), { namespace: NAMESPACE });
  await waitForObject<Pod>(client, PODS, `on-${nodeName}`, (pod) => pod?.status?.phase === 'Running', {
    namespace: NAMESPACE,
    timeoutMs: PATIENCE_MS,
  });
}

async function refusal(work: Promise<unknown>): Promise<{ code: number; message: string }> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return { code: error.code, message: error.message };
  }
  return assert.fail('it was not refused');
}

it('up --runtime simulated makes as many nodes as it is told, and node stops and starts one', async () => {
  await using cluster = await detachedCluster(['--runtime', 'simulated', '--nodes', '50']);
  const { client, kubeconfig } = cluster;
  const nodes = await waitForList<Node>(client, NODES, (all) => all.length === 50 && all.every(isReady), {
    timeoutMs: PATIENCE_MS,
  });
  assert.equal(new Set(nodes.map(({ metadata }) => metadata.name)).size, 50);
  await Promise.all(['turnsole-2', 'turnsole-50'].map((name) => running(client, name)));

  const node = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await turnsole(['node', ...args, '--kubeconfig', kubeconfig]);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const mode = async (): Promise<string | undefined> =>
    (await client.get<Node>(NODES, 'turnsole-2')).metadata.annotations?.[ANNOTATION];
  const logs = (): Promise<string[]> =>
    Array.fromAsync(client.logLines('on-turnsole-2', { namespace: NAMESPACE }));
  const exec = (): Promise<unknown> =>
    client.exec({ namespace: NAMESPACE, name: 'on-turnsole-2', container: 'web', command: ['true'] });

  assert.match(await node('stop', 'turnsole-2'), /node turnsole-2 is stopped; it becomes NotReady/);
  assert.equal(await mode(), 'stopped');
  const refused = await refusal(logs());
  assert.equal(refused.code, 500);
  assert.match(
    refused.message,
    /Get "https:\/\/\S+:10250\/containerLogs\/default\/on-turnsole-2\/web": dial tcp \S+:10250: connect: connection refused/,
  );
  assert.match(
    (await refusal(exec())).message,
    /error dialing backend: dial tcp \S+: connect: connection refused/,
  );

  assert.match(await node('stop', 'turnsole-2', '--power-off'), /node turnsole-2 is off/);
  assert.match((await refusal(logs())).message, /dial tcp \S+: i\/o timeout/);

  assert.match(await node('start', 'turnsole-2'), /node turnsole-2 is starting/);
  assert.equal(await mode(), undefined);
  await waitForObject<Node>(client, NODES, 'turnsole-2', (found) => found !== undefined && isReady(found), {
    timeoutMs: PATIENCE_MS,
  });
  assert.deepEqual(await logs(), []);
});

it('node says what it cannot do', async () => {
  await using cluster = await detachedCluster(['--runtime', 'simulated']);
  const unknown = await turnsole(['node', 'stop', 'turnsole-9', '--kubeconfig', cluster.kubeconfig]);
  assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
  assert.match(unknown.stderr, /there is no node turnsole-9; "kubectl get nodes" lists them/);
});

function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}
