import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideAttempt, FORGET_MS, networkOf, subjects } from './throttle.ts';

const RULE = { free: 2, firstMs: 1_000, mostMs: 5_000 };
const NOW = 1_000_000_000;
const failed = (failures: number, more: object = {}) => ({
  failures,
  last_at: NOW - 10,
  blocked_until: NOW - 10,
  ...more,
});

const CASES: readonly [name: string, known: ReturnType<typeof failed> | undefined, expected: object][] = [
  ['the first attempt is free', undefined, { failures: 1, blocked_until: NOW }],
  ['so is the second', failed(1), { failures: 2, blocked_until: NOW }],
  ['the third costs a second', failed(2), { failures: 3, blocked_until: NOW + 1_000 }],
  ['each further one twice as much', failed(3), { failures: 4, blocked_until: NOW + 2_000 }],
  ['up to a limit', failed(2_000), { failures: 2_001, blocked_until: NOW + 5_000 }],
  ['while it is blocked none is looked at', failed(9, { blocked_until: NOW + 7 }), { refusedForMs: 7 }],
  [
    'when it is over the next one is',
    failed(2, { blocked_until: NOW }),
    { failures: 3, blocked_until: NOW + 1_000 },
  ],
  ['old ones are forgotten', failed(9, { last_at: NOW - FORGET_MS }), { failures: 1, blocked_until: NOW }],
];

for (const [name, known, expected] of CASES) {
  test(name, () => assert.deepEqual(decideAttempt(known, RULE, NOW), expected));
}

for (const [address, network] of [
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::5:6', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['no address', 'no address'],
] as const) {
  test(`attempts from ${address} are counted by ${network}`, () => assert.equal(networkOf(address), network));
}

test('an attempt in a known browser is not counted by what others attempt', () => {
  const kinds = (device?: string) =>
    subjects({ nameKey: 'ann', address: '10.0.0.1', device }).map(([kind]) => kind);
  assert.deepEqual(kinds(), ['pair', 'user', 'address']);
  assert.deepEqual(kinds('browser'), ['device', 'address']);
});
