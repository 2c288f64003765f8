import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { isStale, type PodSighting, podNews, sightingOf } from './pod-sighting.ts';

function pod({
  uid = 'u',
  resourceVersion = '5',
  ready = true,
  restartCount = 0,
  phase = 'Running',
  deleted = false,
} = {}): Pod {
  const metadata = {
    name: 'web-1',
    uid,
    resourceVersion,
    ...(deleted && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  };
  const status = { phase, containerStatuses: [{ name: 'web', ready, restartCount }] };
  // Test data: written as it is.
  return { metadata, spec: { containers: [{ name: 'web' }] }, status } as unknown as Pod;
}

const READY = sightingOf(pod());

const TABLE: readonly (readonly [
  what: string,
  before: PodSighting | undefined,
  now: Pod | undefined,
  news: readonly string[],
])[] = [
  ['the first time', undefined, pod(), ['PodReady: web-1 is ready']],
  ['nothing new', READY, pod(), []],
  ['unready', READY, pod({ ready: false }), ['PodNotReady: web-1 is not ready']],
  ['deleted', READY, pod({ deleted: true }), ['PodTerminating: web-1 is being deleted']],
  ['gone', READY, undefined, ['PodGone: web-1 is gone']],
  ['ended', READY, pod({ phase: 'Failed', ready: false }), ['PodEnded: web-1 has ended']],
  [
    'restarted, ready before anybody looked',
    READY,
    pod({ restartCount: 1 }),
    ['PodRestarted: containers of web-1 were restarted once'],
  ],
  [
    'restarted and not ready',
    READY,
    pod({ restartCount: 2, ready: false }),
    ['PodRestarted: containers of web-1 were restarted 2 times', 'PodNotReady: web-1 is not ready'],
  ],
  [
    'another pod of its name',
    READY,
    pod({ uid: 'v', restartCount: 3 }),
    ['PodReady: another pod named web-1 is ready'],
  ],
  ['first seen when it came', sightingOf(undefined), pod({ uid: 'v' }), ['PodReady: web-1 is ready']],
  [
    'another one after it was gone',
    sightingOf(undefined, READY),
    pod({ uid: 'v' }),
    ['PodReady: another pod named web-1 is ready'],
  ],
];

for (const [what, before, now, news] of TABLE) {
  test(`a pod, ${what}`, () => {
    const lines = podNews('web-1', before, sightingOf(now)).map(({ step, message }) => `${step}: ${message}`);
    assert.deepEqual(lines, news);
  });
}

const GONE = sightingOf(undefined, READY);

const ORDER: readonly (readonly [
  what: string,
  before: PodSighting | undefined,
  now: Pod | undefined,
  isStale: boolean,
])[] = [
  ['the first', undefined, pod(), false],
  ['a newer version', READY, pod({ resourceVersion: '10', ready: false }), false],
  ['an older version', sightingOf(pod({ resourceVersion: '10' })), pod({ resourceVersion: '9' }), true],
  ['the end', READY, undefined, false],
  ['the deletion of a pod that is gone', GONE, pod({ resourceVersion: '6', deleted: true }), true],
  ['the end of a pod that is gone', GONE, pod({ resourceVersion: '6', phase: 'Failed' }), true],
  ['a pod as it was before it was gone', GONE, pod(), true],
  ['a pod that a list was too old to have', GONE, pod({ resourceVersion: '6' }), false],
  ['another pod of its name', GONE, pod({ uid: 'v', resourceVersion: '7' }), false],
  [
    'the pod before that one',
    sightingOf(pod({ uid: 'v', resourceVersion: '7' })),
    pod({ deleted: true }),
    true,
  ],
  [
    'versions that are no numbers',
    sightingOf(pod({ resourceVersion: 'b' })),
    pod({ resourceVersion: 'a' }),
    false,
  ],
];

for (const [what, before, now, expected] of ORDER) {
  test(`a sighting of ${what} is ${expected ? 'stale' : 'news'}`, () => {
    assert.equal(isStale(before, sightingOf(now, before)), expected);
  });
}
