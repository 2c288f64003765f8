/** The operator of `turnsole up` beside another one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineOf, NAMESPACE, startStandIn } from '../../test/support/stand-in-cluster.ts';
import type { Lease } from '../api/core.ts';
import { OPERATOR_LEASE } from '../api/index.ts';
import { LEASES } from '../api/resources.ts';
import { leaderOf, startYieldingOperator } from './other-operators.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

function lease(name: string, holderIdentity: string | undefined, renewedMs: number, seconds?: number): Lease {
  return {
    metadata: { name, namespace: 'litmus' },
    spec: {
      ...(holderIdentity === undefined ? {} : { holderIdentity }),
      renewTime: new Date(renewedMs).toISOString(),
      ...(seconds === undefined ? {} : { leaseDurationSeconds: seconds }),
    },
  };
}

for (const [what, leases, holder] of [
  ['no lease', [], undefined],
  ['a live one', [lease('a', 'them', NOW - 14_000)], 'them'],
  ['one whose holder is silent', [lease('a', 'them', NOW - 15_000)], undefined],
  ['one that promises longer', [lease('a', 'them', NOW - 50_000, 60)], 'them'],
  ['one that was released', [lease('a', '', NOW)], undefined],
  ['one without a holder', [lease('a', undefined, NOW)], undefined],
  ['a silent and a live one', [lease('a', 'x', NOW - 20_000), lease('b', 'y', NOW)], 'y'],
] as const) {
  test(`other operators: ${what}: ${holder ?? 'nobody'} leads`, () => {
    assert.equal(leaderOf(leases, NOW)?.holder, holder);
  });
}

test('other operators: the built-in operator stands aside while another one leads, and works when it is gone', async (context) => {
  const cluster = await startStandIn(context, { operator: false });
  const other = lease(OPERATOR_LEASE, 'them', Date.now(), 3600);
  const place = { namespace: 'default' };
  await cluster.client.create<Lease>(LEASES, { ...other, metadata: { name: OPERATOR_LEASE } }, place);
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
