import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { Deployment, KubeObject } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, POD_DISRUPTION_BUDGETS } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { startApi } from '@turnsole/kube/testing/api';
import { budgetOf, keepBudgets } from '../../packages/kube/examples/budgets.ts';

const FOLDER = new URL('../../packages/kube/', import.meta.url);

function deployment(name: string, replicas: number): Deployment {
  const labels = { app: name };
  return {
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'example' }] } },
    },
  };
}

test('the README of kube shows the example as it is', () => {
  const example = readFileSync(new URL('examples/budgets.ts', FOLDER), 'utf8');
  assert.ok(readFileSync(new URL('README.md', FOLDER), 'utf8').includes(`\`\`\`ts\n${example}\`\`\``));
});

test('the example: budgets come with Deployments of several replicas, follow them, and go with them', async () => {
  await using api = await startApi(createApiServer);
  const { client } = api;
  const stop = new AbortController();
  const running = keepBudgets(client, stop.signal);
  const namesOnce = async (expected: readonly string[]): Promise<void> => {
    const names = (objects: readonly KubeObject[]): string =>
      objects.map(({ metadata }) => metadata.name).join();
    await waitForList(client, POD_DISRUPTION_BUDGETS, (budgets) => names(budgets) === expected.join(), {
      namespace: 'default',
      timeoutMs: 60_000,
    });
  };
  const place = { namespace: 'default' };
  for (const [name, replicas] of [
    ['db', 2],
    ['web', 3],
    ['worker', 1],
  ] as const) {
    await client.create<Deployment>(DEPLOYMENTS, deployment(name, replicas), place);
  }
  await namesOnce(['db', 'web']);
  await client.patch(DEPLOYMENTS, 'db', 'merge', { spec: { replicas: 1 } }, place);
  await namesOnce(['web']);
  await client.delete(POD_DISRUPTION_BUDGETS, 'web', place);
  await namesOnce(['web']);
  stop.abort();
  await running;
});

test('a Deployment of one replica, or one that is being deleted, has no budget', () => {
  const metadata = { name: 'a', namespace: 'b', uid: 'u' };
  const rows: readonly [replicas: number, deletionTimestamp: string | undefined, hasBudget: boolean][] = [
    [1, undefined, false],
    [2, undefined, true],
    [2, '2030-01-01T00:00:00Z', false],
  ];
  for (const [replicas, deletionTimestamp, hasBudget] of rows) {
    const object = { ...deployment('a', replicas), metadata: { ...metadata, deletionTimestamp } };
    assert.equal(budgetOf(object) !== undefined, hasBudget, `${replicas} ${deletionTimestamp}`);
  }
});
