import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lease } from '../kinds/core.ts';
import { decideLease, leaseSpec, releasedSpec } from './lease-decision.ts';

const NOW = Date.parse('2030-01-01T00:00:00.123Z');
const held = (holderIdentity: string, leaseDurationSeconds?: number): Lease => ({
  metadata: { name: 'l' },
  // A time from another world: the holder's clock must not matter.
  spec: {
    holderIdentity,
    renewTime: '1999-01-01T00:00:00.000000Z',
    ...(leaseDurationSeconds === undefined ? {} : { leaseDurationSeconds }),
  },
});

const table: readonly { name: string; lease: Lease | undefined; seenMsAgo: number; decides: object }[] = [
  { name: 'no lease', lease: undefined, seenMsAgo: 0, decides: { action: 'create' } },
  { name: 'our own', lease: held('me', 15), seenMsAgo: 99_000, decides: { action: 'renew' } },
  { name: 'released', lease: held('', 1), seenMsAgo: 0, decides: { action: 'take', reason: 'released' } },
  {
    name: 'just seen',
    lease: held('you', 15),
    seenMsAgo: 0,
    decides: { action: 'wait', waitMs: 15_000, holder: 'you' },
  },
  {
    name: 'quiet for a while',
    lease: held('you', 15),
    seenMsAgo: 14_999,
    decides: { action: 'wait', waitMs: 1, holder: 'you' },
  },
  {
    name: 'quiet for its whole duration',
    lease: held('you', 15),
    seenMsAgo: 15_000,
    decides: { action: 'take', reason: 'expired' },
  },
  {
    name: 'the holder’s duration counts',
    lease: held('you', 60),
    seenMsAgo: 15_000,
    decides: { action: 'wait', waitMs: 45_000, holder: 'you' },
  },
  {
    name: 'ours where it names none',
    lease: held('you'),
    seenMsAgo: 15_000,
    decides: { action: 'take', reason: 'expired' },
  },
];

for (const { name, lease, seenMsAgo, decides } of table) {
  test(`lease ${name}`, () => {
    const decision = decideLease({ lease, seenAt: NOW - seenMsAgo }, 'me', 15_000, NOW);
    const expected =
      lease === undefined || (decides as { action: string }).action === 'wait'
        ? decides
        : { ...decides, lease };
    assert.deepEqual(decision, expected);
  });
}

test('what is written: times in microseconds, transitions counted, a released lease free for anybody', () => {
  const first = leaseSpec(undefined, 'a', 15_000, NOW);
  assert.deepEqual(first, {
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: '2030-01-01T00:00:00.123000Z',
    renewTime: '2030-01-01T00:00:00.123000Z',
    leaseTransitions: 0,
  });
  const renewed = leaseSpec(first, 'a', 15_000, NOW + 2_000);
  assert.deepEqual(renewed, { ...first, renewTime: '2030-01-01T00:00:02.123000Z' });
  const taken = leaseSpec(renewed, 'b', 15_000, NOW + 30_000);
  assert.deepEqual(
    [taken.holderIdentity, taken.leaseTransitions, taken.acquireTime],
    ['b', 1, '2030-01-01T00:00:30.123000Z'],
  );
  const released = releasedSpec(taken, NOW + 31_000);
  assert.deepEqual(
    [released.holderIdentity, released.leaseDurationSeconds, released.leaseTransitions],
    ['', 1, 1],
  );
});
