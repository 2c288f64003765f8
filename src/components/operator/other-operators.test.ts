/** The operator of `turnsole up` beside another one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lease } from '@turnsole/kube/kinds/core';
import { LEASES } from '@turnsole/kube/kinds/resources';
import { engineOf, NAMESPACE, startStandIn } from '../../../test/support/stand-in-cluster.ts';
import { OPERATOR_LEASE } from '../../api/index.ts';
import { startYieldingOperator } from './other-operators.ts';

test('other operators: the built-in operator stands aside while a second operator leads, and works when that is gone', async (context) => {
  const cluster = await startStandIn(context, { operator: false });
  const renewTime = new Date().toISOString();
  const spec = { holderIdentity: 'them', renewTime, leaseDurationSeconds: 3600 };
  const place = { namespace: 'default' };
  await cluster.client.create<Lease>(LEASES, { metadata: { name: OPERATOR_LEASE }, spec }, place);
  const operator = await startYieldingOperator({ client: cluster.client });
  context.after(() => operator.stop());
  await cluster.experiment('pod-delete');
  await cluster.apply(engineOf('web', ['pod-delete']));
  // What the other operator would do is not done; its own first write is the first of all.
  const marked = await cluster.patch('web', { metadata: { annotations: { seen: 'true' } } });
  assert.equal(marked.status, undefined);
  await cluster.client.patch(LEASES, OPERATOR_LEASE, 'merge', { spec: { holderIdentity: '' } }, place);
  const ended = await cluster.ended('web', 'completed');
  assert.equal(ended.metadata.namespace, NAMESPACE);
  assert.equal(ended.metadata.annotations?.seen, 'true');
});
