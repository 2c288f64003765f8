import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { it } from 'node:test';
import { effectsImpossible } from '../../faults/support/fault-cluster.ts';
import { runBatches } from './run-batches.ts';

it('engines whose processes are killed leave nothing and have their verdicts', {
  skip: existsSync('/proc/self/environ')
    ? false
    : 'processes are found by /proc, which this system does not have',
}, async () => {
  const draw = { isolated: effectsImpossible === false, leaseSeconds: 30 };
  const { hits } = await runBatches(6, 5, 5, draw);
  assert.ok(Object.keys(hits).length > 0);
});
