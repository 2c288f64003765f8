import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultRegistry } from '../../faults/index.ts';
import { leftOutText } from './fault-objects.ts';

test('install says which faults it does not grant what they need, and how it would', async () => {
  const faults = await Promise.all([...faultRegistry.values()].map((load) => load()));
  assert.match(
    leftOutText(faults, 'namespaced') ?? '',
    /^node-drain cannot work yet: .*--fault-scope cluster/,
  );
  assert.equal(leftOutText(faults, 'cluster'), undefined);
  assert.equal(
    leftOutText(
      faults.filter(({ name }) => name !== 'node-drain'),
      'namespaced',
    ),
    undefined,
  );
});
