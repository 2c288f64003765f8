/** What `turnsole halt` says of engines whose chaos is reverted and that no operator has closed yet, against the embedded API server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lease } from '@turnsole/kube/kinds/core';
import { LEASES } from '@turnsole/kube/kinds/resources';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import { engineOf, NAMESPACE, startStandIn } from '../../../test/support/stand-in-cluster.ts';
import { OPERATOR_LEASE } from '../../api/index.ts';
import { stopChaos } from './stop-chaos.ts';

const TIMEOUT_MS = 120_000;

for (const [name, isAtWork, closesAfterMs, expected] of [
  ['no operator', false, undefined, [/^no operator closes default\/web; all of it is reverted$/]],
  ['an operator at work', true, 40_000, []],
  [
    'an operator at work that does not',
    true,
    undefined,
    [/^default\/web not closed after 12\d s; all of it is reverted, and the operator is still at work$/],
  ],
] as const) {
  test(`stop chaos: an engine that is reverted and to be closed, with ${name}`, async (context) => {
    const cluster = await startStandIn(context, { operator: false });
    const { client } = cluster;
    await cluster.apply(engineOf('web', ['pod-delete']));
    const place = { namespace: NAMESPACE };
    const setStatus = (engineStatus: string) => cluster.patch('web', { status: { engineStatus } });
    await setStatus('initialized');
    const clock = new FakeClock();
    const startedMs = clock.now();
    if (isAtWork) {
      const renewTime = new Date(startedMs + TIMEOUT_MS).toISOString().replace('Z', '000Z');
      const spec = { holderIdentity: 'operator-1', leaseDurationSeconds: 15, renewTime };
      await client.create<Lease>(LEASES, { metadata: { name: OPERATOR_LEASE }, spec }, place);
    }
    const said: string[] = [];
    let isOver = false;
    const stopped = stopChaos({
      ...{ client, clock, scope: undefined, timeoutMs: TIMEOUT_MS, signal: new AbortController().signal },
      say: (line) => said.push(line),
    }).finally(() => {
      isOver = true;
    });
    let isClosed = false;
    while (!isOver) {
      await new Promise((resolve) => setImmediate(resolve));
      if (clock.pending === 0) continue;
      await clock.advance(300);
      if (closesAfterMs === undefined || isClosed || clock.now() - startedMs < closesAfterMs) continue;
      isClosed = true;
      await setStatus('stopped');
    }
    assert.deepEqual(await stopped, []);
    const unclosed = said.filter((line) => line.includes('reverted'));
    assert.equal(unclosed.length, expected.length, said.join('\n'));
    for (const [index, pattern] of expected.entries()) assert.match(unclosed[index] ?? '', pattern);
  });
}
