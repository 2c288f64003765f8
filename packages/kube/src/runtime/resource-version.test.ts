import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareResourceVersions, newerResourceVersion } from './resource-version.ts';

test('versions are compared as numbers of any length', () => {
  const version = fc.bigInt({ min: 0n, max: 2n ** 80n });
  fc.assert(
    fc.property(version, version, (a, b) => {
      const order = compareResourceVersions(String(a), String(b));
      assert.equal(Math.sign(order ?? Number.NaN), a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});

test('what is no number cannot be compared; the later one then counts', () => {
  for (const odd of [undefined, '', 'abc', '-1', '01', '1.5']) {
    assert.equal(compareResourceVersions(odd, '5'), undefined);
    assert.equal(newerResourceVersion(odd, '5'), '5');
  }
  assert.equal(newerResourceVersion('9', '10'), '10');
  assert.equal(newerResourceVersion('10', '9'), '10');
});
