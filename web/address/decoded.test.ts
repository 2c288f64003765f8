import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decoded, forRouter } from './decoded.ts';

test('a name comes out of an address as it was put there, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      // What the router makes of a path.
      const path = decodeURI(forRouter(encodeURIComponent(name)));
      assert.deepEqual(decoded({ name: path }), { name });
    }),
  );
});

test('an address that was written by hand is taken as it is', () => {
  assert.deepEqual(decoded({ name: '100%', part: undefined }), { name: '100%', part: undefined });
});
