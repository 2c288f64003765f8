import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { Deployment, EnvVar } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import { installedOperator } from './installed-operator.ts';

const OWN_NAMESPACE: EnvVar = {
  name: 'WATCH_NAMESPACE',
  valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } },
};

for (const [what, watched, namespace, isFound] of [
  ['of all namespaces', { name: 'WATCH_NAMESPACE', value: '' }, 'shop', true],
  ['of the namespace', { name: 'WATCH_NAMESPACE', value: 'shop' }, 'shop', true],
  ['of another namespace', { name: 'WATCH_NAMESPACE', value: 'bank' }, 'shop', false],
  ['of its own namespace, for another one', OWN_NAMESPACE, 'shop', false],
  ['of its own namespace, for that', OWN_NAMESPACE, 'default', true],
] as const) {
  test(`an operator ${what} ${isFound ? 'runs its engines' : 'does not run engines elsewhere'}`, async () => {
    await using api = await startApi(createApiServer);
    const labels = { app: 'operator' };
    const env = [watched, { name: 'TURNSOLE_IMAGE', value: 'turnsole/turnsole:1' }];
    const containers = [{ name: 'operator', image: 'litmuschaos/chaos-operator:3.0.0', env }];
    await api.client.create<Deployment>(DEPLOYMENTS, {
      metadata: { name: 'chaos-operator', namespace: 'default' },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    });
    const { ownImage } = await installedOperator(api.client, namespace, new AbortController().signal);
    assert.equal(ownImage?.name, isFound ? 'turnsole/turnsole:1' : undefined);
  });
}
