import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import fc from 'fast-check';
import { affectedCount } from '../../targets/sample.ts';
import type { PodCandidate } from '../../targets/select-pods.ts';
import { type FollowState, nextTargets } from './next-targets.ts';

interface Look {
  readonly name: string;
  readonly isRunning?: boolean;
  readonly node?: string | undefined;
  readonly ageSeconds?: number;
  readonly owner?: string;
}

function candidate({ name, isRunning = true, ageSeconds = 60, owner = 'web', ...place }: Look): PodCandidate {
  const node = 'node' in place ? place.node : 'n1';
  const state = isRunning ? { running: {} } : { waiting: { reason: 'ContainerCreating' } };
  const createdAt = new Date(Date.UTC(2030, 0) - ageSeconds * 1000).toISOString();
  const pod = {
    metadata: { name, namespace: 'shop', uid: name, creationTimestamp: createdAt },
    spec: { nodeName: node },
    status: { phase: 'Running', containerStatuses: [{ name: 'app', containerID: `c://${name}`, state }] },
  };
  const target = {
    kind: 'pod',
    name,
    uid: name,
    node,
    container: 'app',
    owner: { kind: 'deployment', name: owner, uid: owner },
  };
  // Test data: written as it is.
  return { pod: pod as unknown as Pod, targets: [target] };
}

const all = (count: number): number => count;

const TABLE: readonly (readonly [what: string, state: Partial<FollowState>, next: readonly string[]])[] = [
  ['all are hit', { candidates: [candidate({ name: 'a' })], hit: new Set(['a']) }, []],
  ['nothing is left', { candidates: [], hit: new Set(['a']) }, []],
  [
    'a pod has taken the place of one',
    { candidates: [candidate({ name: 'a' }), candidate({ name: 'b' })], hit: new Set(['a', 'gone']) },
    ['b'],
  ],
  ['it does not run yet', { candidates: [candidate({ name: 'b', isRunning: false })] }, []],
  ['it is on no node yet', { candidates: [candidate({ name: 'b', node: undefined })] }, []],
  ['it could not be hit a moment ago', { candidates: [candidate({ name: 'b' })], left: new Set(['b']) }, []],
  [
    'a pod of an earlier step is there, and another is coming',
    {
      candidates: [candidate({ name: 'a' }), candidate({ name: 'b', isRunning: false })],
      earlier: new Set(['a']),
    },
    [],
  ],
  [
    'a pod of an earlier step is older than another',
    {
      candidates: [candidate({ name: 'a', ageSeconds: 1 }), candidate({ name: 'b' })],
      earlier: new Set(['a']),
      wanted: () => 1,
    },
    ['b'],
  ],
  [
    'only a pod of an earlier step is left',
    { candidates: [candidate({ name: 'a' })], earlier: new Set(['a']) },
    ['a'],
  ],
  [
    'one of four is meant, and is hit',
    {
      candidates: ['a', 'b', 'c', 'd'].map((name) => candidate({ name })),
      hit: new Set(['c']),
      wanted: () => 1,
    },
    [],
  ],
  [
    'one is meant, and went: the newest',
    {
      candidates: [candidate({ name: 'old' }), candidate({ name: 'new', ageSeconds: 1 })],
      wanted: () => 1,
    },
    ['new'],
  ],
  [
    'one of several workloads has lost a pod',
    {
      candidates: [candidate({ name: 'new', ageSeconds: 1, owner: 'other' }), candidate({ name: 'old' })],
      bereft: new Set(['web']),
      wanted: () => 1,
    },
    ['old'],
  ],
];

for (const [what, state, next] of TABLE) {
  test(`what is hit next: ${what}`, () => {
    const base: FollowState = {
      candidates: [],
      hit: new Set(),
      left: new Set(),
      bereft: new Set(),
      wanted: all,
    };
    assert.deepEqual(
      nextTargets({ ...base, ...state }).map(({ pod }) => pod.metadata.name),
      next,
    );
  });
}

const PODS = fc.uniqueArray(
  fc.record({
    name: fc.integer({ min: 0, max: 20 }).map(String),
    isRunning: fc.boolean(),
    isHit: fc.boolean(),
    isLeft: fc.boolean(),
  }),
  { selector: ({ name }) => name, maxLength: 12 },
);

test('never more than the share is hit, no pod twice, and all of it where enough pods run', () => {
  fc.assert(
    fc.property(PODS, fc.integer({ min: 0, max: 100 }), (pods, percentage) => {
      const hit = new Set(pods.filter(({ isHit }) => isHit).map(({ name }) => name));
      const left = new Set(pods.filter(({ isLeft }) => isLeft).map(({ name }) => name));
      const wanted = (count: number): number => affectedCount(count, percentage);
      const next = nextTargets({ candidates: pods.map(candidate), hit, left, bereft: new Set(), wanted });
      const names = next.map(({ pod }) => pod.metadata.name);
      const free = pods.filter(({ name, isRunning }) => isRunning && !hit.has(name) && !left.has(name));
      const missing = Math.max(wanted(pods.length) - hit.size, 0);
      assert.equal(names.length, Math.min(missing, free.length));
      assert.equal(new Set(names).size, names.length);
      for (const name of names) assert.ok(free.some((pod) => pod.name === name));
    }),
  );
});
