import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod } from '../kinds/core.ts';
import { peerLife, UNREADY_MS } from './peer-pods.ts';

const NOW = Date.parse('2030-01-01T00:00:00Z');

function at(agoMs: number): string {
  return new Date(NOW - agoMs).toISOString();
}

/** A pod with one container. @param ready the condition, and when it changed */
function pod(
  state: NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number]['state'],
  ready?: readonly ['True' | 'False', agoMs: number],
  phase: NonNullable<Pod['status']>['phase'] = 'Running',
): Pick<Pod, 'status'> {
  const [status, agoMs = 0] = ready ?? [];
  return {
    status: {
      phase,
      containerStatuses: [
        { name: 'c', ready: status === 'True', restartCount: 0, image: '', imageID: '', state },
      ],
      conditions: status === undefined ? [] : [{ type: 'Ready', status, lastTransitionTime: at(agoMs) }],
    },
  };
}

const running = (agoMs: number) => ({ running: { startedAt: at(agoMs) } });

for (const [what, given, expected] of [
  ['nothing has started', { status: {} }, { works: false }],
  ['the image is not there', pod({ waiting: { reason: 'ImagePullBackOff' } }), { works: false }],
  [
    'it crashes again and again',
    pod({ waiting: { reason: 'CrashLoopBackOff' } }, ['False', 1]),
    { works: false },
  ],
  ['it runs and is ready', pod(running(99_000), ['True', 98_000]), { works: true }],
  ['it has just started', pod(running(1_000)), { works: true, untilMs: NOW - 1_000 + UNREADY_MS }],
  ['it runs and never becomes ready', pod(running(UNREADY_MS)), { works: false }],
  [
    'it has just lost its readiness',
    pod(running(99_000), ['False', 2_000]),
    { works: true, untilMs: NOW - 2_000 + UNREADY_MS },
  ],
  ['it has been unready for long', pod(running(99_000), ['False', UNREADY_MS + 1]), { works: false }],
  ['it has come to its end', pod(running(1), ['True', 1], 'Failed'), { works: false }],
] as const) {
  test(`a peer's pod: ${what}`, () => assert.deepEqual(peerLife(given, NOW), expected));
}
