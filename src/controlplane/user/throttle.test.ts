import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideAttempt, FORGET_MS } from './throttle.ts';

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
