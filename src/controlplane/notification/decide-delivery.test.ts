import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decideDelivery, MOST_ATTEMPTS } from './decide-delivery.ts';

const NOW = 1_000_000_000;
const row = (attempts: number, ageMs = 0) => ({ attempts, created_at: NOW - ageMs, last_error: 'before' });
const FAILED = { ok: false, why: 'no' } as const;

const CASES: readonly [name: string, actual: object, expected: object][] = [
  [
    'what has arrived is done, and keeps what went wrong before',
    decideDelivery(row(2), { ok: true }, NOW, () => 0),
    { state: 'DELIVERED', attempts: 3, due_at: NOW, last_error: 'before', done_at: NOW },
  ],
  [
    'a failure waits some seconds',
    decideDelivery(row(0), FAILED, NOW, () => 0),
    { state: 'WAITING', attempts: 1, due_at: NOW + 5_000, last_error: 'no', done_at: null },
  ],
  [
    'further ones longer, up to an hour',
    decideDelivery(row(15), FAILED, NOW, () => 1),
    { state: 'WAITING', attempts: 16, due_at: NOW + 3_600_000, last_error: 'no', done_at: null },
  ],
  [
    'the last attempt is the last',
    decideDelivery(row(MOST_ATTEMPTS - 1), FAILED, NOW, () => 0),
    { state: 'DEAD', attempts: MOST_ATTEMPTS, due_at: NOW, last_error: 'no', done_at: NOW },
  ],
  [
    'what is a day old is not tried again',
    decideDelivery(row(0, 86_400_000), FAILED, NOW, () => 0),
    { state: 'DEAD', attempts: 1, due_at: NOW, last_error: 'no', done_at: NOW },
  ],
];

for (const [name, actual, expected] of CASES) test(name, () => assert.deepEqual(actual, expected));
