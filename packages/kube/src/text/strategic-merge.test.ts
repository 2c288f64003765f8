import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MergeKeys, mergeByKeys, StrategicMergeError } from './strategic-merge.ts';

const KEYS: MergeKeys = { containers: ['name'], ports: ['containerPort'], keyed: ['name', 'path'] };

const CASES: readonly [name: string, document: unknown, patch: unknown, expected: unknown][] = [
  ['objects are merged', { a: { x: 1, y: 2 } }, { a: { y: 3 } }, { a: { x: 1, y: 3 } }],
  ['null removes', { a: 1, b: 2 }, { a: null }, { b: 2 }],
  ['other lists are replaced', { args: ['a', 'b'] }, { args: ['c'] }, { args: ['c'] }],
  [
    'items are merged by their key and stay in their places',
    { containers: [{ name: 'a' }, { name: 'b', image: 'x', ports: [{ containerPort: 1 }] }] },
    { containers: [{ name: 'b', image: 'y', ports: [{ containerPort: 1, name: 'web' }] }] },
    { containers: [{ name: 'a' }, { name: 'b', image: 'y', ports: [{ containerPort: 1, name: 'web' }] }] },
  ],
  [
    'new items stand before those that are not named',
    { containers: [{ name: 'a' }] },
    { containers: [{ name: 'b' }] },
    { containers: [{ name: 'b' }, { name: 'a' }] },
  ],
  [
    'an item is deleted',
    { containers: [{ name: 'a' }, { name: 'b' }] },
    { containers: [{ name: 'a', $patch: 'delete' }] },
    { containers: [{ name: 'b' }] },
  ],
  [
    'a list is replaced',
    { containers: [{ name: 'a' }] },
    { containers: [{ $patch: 'replace' }, { name: 'b' }] },
    { containers: [{ name: 'b' }] },
  ],
  ['an object is replaced', { a: { x: 1 } }, { a: { $patch: 'replace', y: 2 } }, { a: { y: 2 } }],
  ['an object is emptied', { a: { x: 1 } }, { a: { $patch: 'delete' } }, { a: {} }],
  [
    'an item that is replaced replaces its list, as on API servers',
    { containers: [{ name: 'a' }, { name: 'b', image: 'x' }] },
    { containers: [{ name: 'b', $patch: 'replace', image: 'y' }] },
    { containers: [{ name: 'b', image: 'y' }] },
  ],
  [
    'a union keeps the members that are said to live',
    { volume: { name: 'v', emptyDir: {} } },
    { volume: { $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } } },
    { volume: { name: 'v', hostPath: { path: '/x' } } },
  ],
  [
    'items come in the order that is asked for',
    { containers: [{ name: 'a' }, { name: 'b' }] },
    { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] },
    { containers: [{ name: 'b' }, { name: 'a' }] },
  ],
  ['what is in other lists stays as it is', {}, { items: [{ a: null }] }, { items: [{ a: null }] }],
  [
    'the first key that an item has counts',
    { keyed: [{ path: '/a' }] },
    { keyed: [{ path: '/a', x: 1 }] },
    { keyed: [{ path: '/a', x: 1 }] },
  ],
];

test('patches', () => {
  for (const [name, document, patch, expected] of CASES) {
    const before = structuredClone(document);
    assert.deepEqual(mergeByKeys(document, patch, KEYS), expected, name);
    assert.deepEqual(document, before, `${name}: the document is not changed`);
  }
});

const REFUSED: readonly [patch: unknown, message: string][] = [
  [[], 'the patch is no object'],
  [{ containers: [{ image: 'x' }] }, 'containers: an item of the patch has no name'],
  [{ spec: { containers: ['x'] } }, 'spec.containers: an item of a list merged by name must be an object'],
  [{ a: { $retainKeys: ['x'], y: 1 } }, 'a: $retainKeys directive does not match with the patch keys'],
  [{ a: { $keep: ['x'] } }, 'a: the directive $keep is not known here'],
  [{ '$setElementOrder/containers': 'a', containers: [] }, '$setElementOrder must be a list'],
  [{ $patch: 'merg' }, 'the directive $patch: merg is not known here'],
];

test('patches that are refused', () => {
  for (const [patch, message] of REFUSED)
    assert.throws(
      () => mergeByKeys({}, patch, KEYS),
      (error: Error) => {
        assert.ok(error instanceof StrategicMergeError);
        assert.equal(error.message, message);
        return true;
      },
    );
});
