import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { seenDeletion } from './deletion.ts';
import type { PodDeletion } from './observed.ts';

const NOW = 1_000_000;

function pod(deletionGracePeriodSeconds?: number): Pod {
  return { metadata: { name: 'a', deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds } };
}

const running: PodDeletion = { deadlineMs: NOW + 5_000, objectGone: false, requested: true };
const gone: PodDeletion = { deadlineMs: NOW, objectGone: true, requested: true };

const TABLE: readonly (readonly [string, Pod, PodDeletion | undefined, PodDeletion | undefined])[] = [
  ['is none before the object says so', { metadata: { name: 'a' } }, undefined, undefined],
  [
    'has its grace from when it is seen',
    pod(7),
    undefined,
    { deadlineMs: NOW + 7_000, objectGone: false, requested: false },
  ],
  [
    'has 30 s without a grace',
    pod(),
    undefined,
    { deadlineMs: NOW + 30_000, objectGone: false, requested: false },
  ],
  ['is not put off', pod(60), running, running],
  ['may be shortened', pod(1), running, { ...running, deadlineMs: NOW + 1_000 }],
  ['stays as it was when the object is gone', pod(60), gone, gone],
];

for (const [name, object, known, wanted] of TABLE) {
  test(`the deletion of a pod ${name}`, () => {
    assert.deepEqual(seenDeletion(object, known, NOW), wanted);
  });
}
