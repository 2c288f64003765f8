import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyMergePatch } from '@turnsole/kube/text/merge-patch';
import type { Json } from '../object.ts';
import { applyJsonPatch, PatchError } from './json-patch.ts';
import { applyStrategicPatch } from './strategic.ts';

describe('JSON patch', () => {
  const document = { a: [1, 2], b: { 'x/y': 1, 'm~n': 2 } };
  for (const [name, patch, expected] of [
    ['adds a field', [{ op: 'add', path: '/c', value: 3 }], { ...document, c: 3 }],
    ['inserts into a list', [{ op: 'add', path: '/a/1', value: 9 }], { ...document, a: [1, 9, 2] }],
    ['appends to a list', [{ op: 'add', path: '/a/-', value: 9 }], { ...document, a: [1, 2, 9] }],
    ['removes an item', [{ op: 'remove', path: '/a/0' }], { ...document, a: [2] }],
    ['replaces an item', [{ op: 'replace', path: '/a/0', value: 7 }], { ...document, a: [7, 2] }],
    [
      'unescapes slashes',
      [{ op: 'replace', path: '/b/x~1y', value: 5 }],
      { ...document, b: { 'x/y': 5, 'm~n': 2 } },
    ],
    ['unescapes tildes', [{ op: 'remove', path: '/b/m~0n' }], { ...document, b: { 'x/y': 1 } }],
    ['moves', [{ op: 'move', from: '/a', path: '/z' }], { b: document.b, z: [1, 2] }],
    ['copies', [{ op: 'copy', from: '/a/0', path: '/a/-' }], { ...document, a: [1, 2, 1] }],
    [
      'tests',
      [
        { op: 'test', path: '/a', value: [1, 2] },
        { op: 'remove', path: '/b' },
      ],
      { a: [1, 2] },
    ],
    ['replaces the whole document', [{ op: 'replace', path: '', value: { n: 1 } }], { n: 1 }],
  ] as const) {
    it(name, () => assert.deepEqual(applyJsonPatch(document, patch), expected));
  }

  for (const [name, patch, message] of [
    ['a failed test', [{ op: 'test', path: '/a', value: 1 }], /testing value \/a failed/],
    ['a missing field', [{ op: 'remove', path: '/nope' }], /missing value/],
    ['an index beyond the list', [{ op: 'add', path: '/a/5', value: 1 }], /invalid index/],
    ['a leading zero', [{ op: 'replace', path: '/a/00', value: 1 }], /missing/],
    ['no list', { op: 'add' }, /cannot unmarshal/],
    ['an unknown operation', [{ op: 'frobnicate', path: '/a' }], /Unexpected kind/],
    ['a prototype', [{ op: 'add', path: '/__proto__', value: {} }], /__proto__/],
  ] as const) {
    it(`refuses ${name}`, () =>
      assert.throws(
        () => applyJsonPatch(document, patch),
        (error) => error instanceof PatchError && message.test(error.message),
      ));
  }

  it('ends when copies of copies get out of hand', () => {
    const double = Array.from({ length: 30 }, (_, index) => ({
      op: 'copy',
      from: '',
      path: `/copy${index}`,
    }));
    assert.throws(
      () => applyJsonPatch({ text: 'x'.repeat(1_000) }, double),
      /the accumulated size increase of copy/,
    );
    assert.doesNotThrow(() => applyJsonPatch({ text: 'x'.repeat(1_000) }, double.slice(0, 8)));
  });

  it('does not change its input', () => {
    const input = { a: { b: 1 } };
    applyJsonPatch(input, [{ op: 'replace', path: '/a/b', value: 2 }]);
    assert.deepEqual(input, { a: { b: 1 } });
  });
});

describe('merge patch', () => {
  for (const [name, document, patch, expected] of [
    ['replaces a value', { a: 'b' }, { a: 'c' }, { a: 'c' }],
    ['adds a field', { a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    ['removes a field', { a: 'b' }, { a: null }, {}],
    ['replaces lists', { a: ['b'] }, { a: 'c' }, { a: 'c' }],
    ['merges objects', { a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    ['drops nulls of new objects', {}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ['replaces anything by a list', ['a'], ['c'], ['c']],
  ] as const) {
    it(name, () => assert.deepEqual(applyMergePatch(document, patch), expected));
  }
});

const containers = (list: unknown): Json => ({ spec: { containers: list } });

describe('strategic merge patch', () => {
  const rows: readonly (readonly [string, string, Json, Json, Json])[] = [
    [
      'merges containers by name and env by name',
      'core.v1.Pod',
      containers([
        { name: 'a', image: '1', env: [{ name: 'X', value: '1' }] },
        { name: 'b', image: '1' },
      ]),
      containers([
        {
          name: 'a',
          env: [
            { name: 'Y', value: '2' },
            { name: 'X', value: '3' },
          ],
        },
      ]),
      containers([
        {
          name: 'a',
          image: '1',
          env: [
            { name: 'Y', value: '2' },
            { name: 'X', value: '3' },
          ],
        },
        { name: 'b', image: '1' },
      ]),
    ],
    [
      'deletes an item by its key',
      'core.v1.Pod',
      containers([
        { name: 'a', image: '1' },
        { name: 'b', image: '1' },
      ]),
      containers([{ name: 'a', $patch: 'delete' }]),
      containers([{ name: 'b', image: '1' }]),
    ],
    [
      'replaces a list where an item says so',
      'core.v1.Pod',
      containers([
        { name: 'a', image: '1' },
        { name: 'b', image: '1' },
      ]),
      containers([{ $patch: 'replace' }, { name: 'c', image: '3' }]),
      containers([{ name: 'c', image: '3' }]),
    ],
    [
      'puts items into the order of $setElementOrder',
      'core.v1.Pod',
      containers([
        { name: 'a', image: '1' },
        { name: 'b', image: '1' },
      ]),
      {
        spec: {
          '$setElementOrder/containers': [{ name: 'b' }, { name: 'c' }, { name: 'a' }],
          containers: [{ name: 'c', image: '2' }],
        },
      },
      containers([
        { name: 'b', image: '1' },
        { name: 'c', image: '2' },
        { name: 'a', image: '1' },
      ]),
    ],
    [
      'keeps items that the order does not mention where they were',
      'core.v1.Pod',
      containers([{ name: 'a' }, { name: 'x' }, { name: 'b' }]),
      {
        spec: {
          '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }],
          containers: [{ name: 'a', image: '2' }],
        },
      },
      containers([{ name: 'x' }, { name: 'b' }, { name: 'a', image: '2' }]),
    ],
    [
      'unites lists of primitives and deletes from them',
      'core.v1.ConfigMap',
      { metadata: { finalizers: ['a/x', 'b/x'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a/x'], finalizers: ['c/x', 'b/x'] } },
      { metadata: { finalizers: ['c/x', 'b/x'] } },
    ],
    [
      'merges owner references by uid',
      'core.v1.ConfigMap',
      { metadata: { ownerReferences: [{ uid: '1', name: 'a' }] } },
      {
        metadata: {
          ownerReferences: [
            { uid: '2', name: 'b' },
            { uid: '1', controller: true },
          ],
        },
      },
      {
        metadata: {
          ownerReferences: [
            { uid: '2', name: 'b' },
            { uid: '1', name: 'a', controller: true },
          ],
        },
      },
    ],
    [
      'merges conditions by type',
      'core.v1.Pod',
      { status: { conditions: [{ type: 'Ready', status: 'False' }] } },
      {
        status: {
          conditions: [
            { type: 'Ready', status: 'True' },
            { type: 'Other', status: 'True' },
          ],
        },
      },
      {
        status: {
          conditions: [
            { type: 'Ready', status: 'True' },
            { type: 'Other', status: 'True' },
          ],
        },
      },
    ],
    [
      'merges volumes by name and retains only the keys that are said to live',
      'core.v1.Pod',
      { spec: { volumes: [{ name: 'v', emptyDir: {} }] } },
      { spec: { volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }] } },
      { spec: { volumes: [{ name: 'v', hostPath: { path: '/x' } }] } },
    ],
    [
      'merges ports of a service by port',
      'core.v1.Service',
      { spec: { ports: [{ port: 80, name: 'http' }] } },
      { spec: { ports: [{ port: 80, targetPort: 8080 }, { port: 443 }] } },
      { spec: { ports: [{ port: 80, name: 'http', targetPort: 8080 }, { port: 443 }] } },
    ],
    [
      'replaces lists without a key',
      'core.v1.Pod',
      containers([{ name: 'a', command: ['x', 'y'] }]),
      containers([{ name: 'a', command: ['z'] }]),
      containers([{ name: 'a', command: ['z'] }]),
    ],
    [
      'replaces an object that says so',
      'apps.v1.Deployment',
      { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
      { spec: { strategy: { $patch: 'replace', type: 'Recreate' } } },
      { spec: { strategy: { type: 'Recreate' } } },
    ],
    [
      'removes fields and map keys with null',
      'core.v1.ConfigMap',
      { data: { a: '1', b: '2' }, metadata: { labels: { x: 'y' } } },
      { data: { a: null }, metadata: { labels: null } },
      { data: { b: '2' }, metadata: {} },
    ],
  ];
  for (const [name, type, document, patch, expected] of rows) {
    it(name, () => assert.deepEqual(applyStrategicPatch(document, patch, type), expected));
  }

  for (const [name, patch] of [
    ['an item without its merge key', containers([{ image: 'x' }])],
    ['an unknown directive', { spec: { $patch: 'explode' } }],
    ['retained keys that the patch contradicts', { spec: { $retainKeys: ['a'], b: 1 } }],
  ] as const) {
    it(`refuses ${name}`, () =>
      assert.throws(() => applyStrategicPatch(containers([]), patch, 'core.v1.Pod'), PatchError));
  }
});
