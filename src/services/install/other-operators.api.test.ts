import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiServer } from '@turnsole/cluster/apiserver/index';
import type { Deployment } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS } from '@turnsole/kube/kinds/resources';
import { startApi } from '@turnsole/kube/testing/api';
import { refuseOtherOperators } from './other-operators.ts';

test('an operator that acts on the same engines is named, with what to do; without one nothing is refused', async () => {
  await using api = await startApi(createApiServer);
  const settings = { namespace: 'litmus', watchNamespace: undefined };
  const refuse = (): Promise<void> =>
    refuseOtherOperators(api.client, settings, 'Remove it first', new AbortController().signal);
  await refuse();
  const labels = { app: 'operator' };
  const containers = [{ name: 'operator', image: 'litmuschaos/chaos-operator:3.0.0' }];
  await api.client.create<Deployment>(DEPLOYMENTS, {
    metadata: { name: 'chaos-operator', namespace: 'default' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
  await assert.rejects(refuse(), {
    code: 'ANOTHER_OPERATOR',
    message:
      'another operator acts on the same engines: default/chaos-operator; each engine would run twice. Remove it first',
  });
});
