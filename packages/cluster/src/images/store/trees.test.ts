import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapName } from './trees.ts';

const WHOLE = '         0          0 4294967295\n';
const one = (outside: number): string => `         0       ${outside}          1\n`;
const sub = (first: number): string => `${one(1000)}         1     ${first}      65536\n`;

test('files look the same in the same map of ids, inside and outside of a namespace of one', () => {
  assert.equal(mapName(WHOLE + WHOLE, 0), 'root');
  assert.equal(mapName(WHOLE + WHOLE, 1000), 'user-1000');
  assert.equal(mapName(one(1000) + one(1000), 0), 'user-1000');
});

test('maps of several ids have names of their own', () => {
  const [first, again, other] = [100_000, 100_000, 200_000].map((id) => mapName(sub(id) + sub(id), 0));
  assert.match(first ?? '', /^ids-[\da-f]{16}$/);
  assert.equal(again, first);
  assert.notEqual(other, first);
});
