import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyMergePatch, composePatches, type MergePatch } from './merge-patch.ts';

test('null removes, objects merge, lists and values replace', () => {
  const document = { a: 1, b: { c: 1, d: [1, 2] }, e: 'x' };
  const patch = { a: null, b: { d: [3], f: { g: null, h: 1 } }, e: { i: 1 } };
  assert.deepEqual(applyMergePatch(document, patch), { b: { c: 1, d: [3], f: { h: 1 } }, e: { i: 1 } });
});

const { patch: patches } = fc.letrec<{ patch: MergePatch; value: unknown }>((tie) => ({
  patch: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }),
  value: fc.oneof({ depthSize: 'small' }, fc.constantFrom(1, 'x', null, [1]), tie('patch')),
}));

test('one composed patch does what both do one after another, on what the first can have left', () => {
  // A document without nulls, as an API server stores it. Where the first patch replaced a value by an object, an object
  // stands there afterwards: the composed patch then merges into what was there before, so such documents are left out.
  const documents = patches.map((patch) => applyMergePatch({}, patch));
  fc.assert(
    fc.property(documents, patches, patches, (document, first, second) => {
      const base = applyMergePatch(document, first);
      assert.deepEqual(
        applyMergePatch(base, composePatches(first, second)),
        applyMergePatch(applyMergePatch(base, first), second),
      );
    }),
  );
});
