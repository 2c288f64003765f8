/** Against the embedded API server, on which no controller makes anything ready. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { Deployment } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import { failureOf } from '@turnsole/kube/testing/client';
import { awaitWorkloads } from './await-workloads.ts';

test('workloads that are late are named in the order of the manifests', async () => {
  await using api = await startApi(createApiServer);
  const namespace = 'default';
  const create = async (name: string, replicas: number) => {
    const labels = { app: name };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'sample' }] } };
    const spec = { replicas, selector: { matchLabels: labels }, template };
    const object = await api.client.create<Deployment>(DEPLOYMENTS, { metadata: { name, namespace }, spec });
    return { resource: DEPLOYMENTS, object };
  };
  const applied = [await create('web', 2), await create('db', 1)];
  const failure = await failureOf(
    awaitWorkloads(applied, {
      client: api.client,
      timeoutMs: 1_000,
      signal: new AbortController().signal,
      patient: false,
      onReady: () => {},
    }),
  );
  assert.match(
    failure.message,
    /^Deployment default\/web \(.*\), Deployment default\/db \(.*\) did not become ready within 1 s$/,
  );
});
