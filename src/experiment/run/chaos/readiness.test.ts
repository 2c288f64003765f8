import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import fc from 'fast-check';
import type { Owner } from '../../targets/owner.ts';
import { belongsTo, type Readiness, type ReadyChange, readinessIn } from './readiness.ts';

const changes = (...pairs: readonly (readonly [atMs: number, ready: number])[]): ReadyChange[] =>
  pairs.map(([atMs, ready]) => ({ atMs, ready }));

const TABLE: readonly (readonly [
  what: string,
  before: readonly ReadyChange[],
  found: Readiness | undefined,
])[] = [
  ['nothing is known', [], undefined],
  ['nothing changed', changes([0, 2]), { before: 2, lowest: 2, noneMs: 0 }],
  ['one went and came back', changes([0, 2], [150, 1], [180, 2]), { before: 2, lowest: 1, noneMs: 0 }],
  [
    'all went and one came back',
    changes([0, 2], [120, 1], [130, 0], [170, 1]),
    { before: 2, lowest: 0, noneMs: 40 },
  ],
  [
    'one went before it was known that it did',
    changes([0, 2], [95, 1], [130, 2]),
    { before: 2, lowest: 1, noneMs: 0 },
  ],
  ['none came back', changes([0, 1], [160, 0]), { before: 1, lowest: 0, noneMs: 40 }],
  ['there was none before', changes([0, 0], [110, 1]), { before: 0, lowest: 0, noneMs: 10 }],
  [
    'what was before and after is left out',
    changes([0, 0], [50, 3], [250, 0]),
    { before: 3, lowest: 3, noneMs: 0 },
  ],
  ['it is known later only', changes([130, 2]), { before: 2, lowest: 2, noneMs: 0 }],
];

for (const [what, before, found] of TABLE) {
  test(`readiness: ${what}`, () =>
    assert.deepEqual(readinessIn(before, { beginsMs: 90, fromMs: 100, toMs: 200 }), found));
}

test('readiness is what a clock that looks at every millisecond would count', () => {
  const step = fc.tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 0, max: 3 }));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.integer({ min: 0, max: 3 }), (steps, first) => {
      let atMs = 0;
      const all = [{ atMs: 0, ready: first }, ...steps.map(([by, ready]) => ({ atMs: (atMs += by), ready }))];
      const readyAt = (ms: number): number => all.findLast((change) => change.atMs <= ms)?.ready ?? 0;
      const looks = Array.from({ length: 100 }, (_, index) => readyAt(100 + index));
      assert.deepEqual(readinessIn(all, { beginsMs: 100, fromMs: 100, toMs: 200 }), {
        before: looks[0],
        lowest: Math.min(...looks),
        noneMs: looks.filter((ready) => ready === 0).length,
      });
    }),
  );
});

const API: Owner = { kind: 'deployment', name: 'api', uid: 'd1' };

const OWNERS: readonly (readonly [
  what: string,
  owner: Owner,
  reference: object | undefined,
  belongs: boolean,
])[] = [
  ['of its ReplicaSet', API, { kind: 'ReplicaSet', name: 'api-5448c7477', uid: 'r' }, true],
  [
    'of a Deployment whose name begins like it',
    API,
    { kind: 'ReplicaSet', name: 'api-v2-5448c7477', uid: 'r' },
    false,
  ],
  ['of another kind', API, { kind: 'Job', name: 'api-5448c7477', uid: 'j' }, false],
  ['without an owner', API, undefined, false],
  [
    'of its StatefulSet',
    { kind: 'statefulset', name: 'db', uid: 's1' },
    { kind: 'StatefulSet', name: 'db', uid: 's1' },
    true,
  ],
];

for (const [what, owner, reference, belongs] of OWNERS) {
  test(`a pod ${what} ${belongs ? 'belongs' : 'does not belong'} to ${owner.kind} ${owner.name}`, () => {
    const ownerReferences = reference === undefined ? [] : [reference];
    // Test data: written as it is.
    assert.equal(belongsTo(owner, { metadata: { name: 'p', ownerReferences } } as unknown as Pod), belongs);
  });
}
