import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeDifferences, diff } from './diff.ts';
import { valueAt, without } from './pointer.ts';
import { compareSteps } from './replay.ts';
import { substitute, substituteAll } from './substitute.ts';

describe('substitute', () => {
  const variables = new Map([
    ['ns', 'c-x'],
    ['uid', '7'],
  ]);
  for (const [given, wanted] of [
    ['/api/v1/namespaces/{ns}/pods', '/api/v1/namespaces/c-x/pods'],
    ['{uid}{ns}', '7c-x'],
    ['{.spec.replicas}', '{.spec.replicas}'],
    ['{unknown}', '{unknown}'],
  ] as const) {
    it(given, () => assert.equal(substitute(given, variables), wanted));
  }

  it('reaches keys and values at any depth', () => {
    assert.deepEqual(substituteAll({ a: ['{uid}', { '{ns}': 1 }], b: null }, variables), {
      a: ['7', { 'c-x': 1 }],
      b: null,
    });
  });
});

describe('pointers', () => {
  const document = { items: [{ a: 1, b: 2 }, { a: 3 }], 'x/y': { '~': 0 } };
  for (const [pointer, wanted] of [
    ['/items/1/a', 3],
    ['/x~1y/~0', 0],
    ['/items/7/a', undefined],
    ['/items/0/a/deeper', undefined],
  ] as const) {
    it(`find ${pointer}`, () => assert.equal(valueAt(document, pointer), wanted));
  }

  it('leave out what they name', () => {
    assert.deepEqual(without(document, ['/items/*/a', '/x~1y']), { items: [{ b: 2 }, {}] });
    assert.deepEqual(without([1, 2, 3], ['/1']), [1, 3]);
    assert.deepEqual(without('text', ['/a']), 'text');
  });
});

describe('diff', () => {
  it('finds nothing in equals, whatever the order of keys', () => {
    assert.deepEqual(diff({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }), []);
  });

  it('names each place', () => {
    assert.deepEqual(
      diff({ same: 0, gone: 1, other: 'a', list: [1, 2] }, { same: 0, other: 'b', list: [1], 'a/b': 2 }),
      [
        { path: '/gone', recorded: 1 },
        { path: '/other', recorded: 'a', ours: 'b' },
        { path: '/list/1', recorded: 2 },
        { path: '/a~1b', ours: 2 },
      ],
    );
  });

  it('does not take an array for an object, nor null for absent', () => {
    assert.equal(diff({ a: [] }, { a: {} }).length, 1);
    assert.equal(diff({ a: null }, {}).length, 1);
  });

  it('reads like a patch', () => {
    assert.equal(
      describeDifferences(diff({ a: 1, b: 2 }, { a: 2, c: 3 })),
      '  /a\n    - 1\n    + 2\n  /b\n    - 2\n  /c\n    + 3',
    );
  });
});

describe('compareSteps', () => {
  const recorded = [{ step: 'GET /a', status: 200, headers: {}, body: { x: 1, y: 2 } }];

  it('leaves deliberate differences out, and nothing else', () => {
    const ours = [{ step: 'GET /a', status: 200, headers: {}, body: { x: 9, y: 9 } }];
    const deliberate = [{ scenario: 's', step: 1, pointers: ['/body/x'] }];
    assert.deepEqual(compareSteps(recorded, ours, deliberate), [
      { step: '1. GET /a', differences: [{ path: '/body/y', recorded: 2, ours: 9 }] },
    ]);
  });

  it('misses answers that never came', () => {
    assert.equal(compareSteps(recorded, [], []).length, 1);
  });
});
