import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { it } from 'node:test';
import { runBatches } from './run-batches.ts';

it('engines whose processes are killed leave nothing and have their verdicts', {
  skip: existsSync('/proc/self/environ')
    ? false
    : 'processes are found by /proc, which this system does not have',
}, async () => {
  const { hits } = await runBatches(6, 5, 5);
  assert.ok(Object.keys(hits).length > 0);
});
