import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Status } from './errors.ts';
import { decideRetry, type FailedTry, parseRetryAfter } from './retry.ts';

const broken = (code: string | undefined, sent: boolean): FailedTry => ({ kind: 'connection', code, sent });
const answered = (code: number, retryAfter?: string, status: Status = {}): FailedTry => ({
  kind: 'status',
  code,
  status,
  retryAfter,
});
const disruptionBudget: Status = { details: { causes: [{ reason: 'DisruptionBudget' }] } };

const table: readonly {
  name: string;
  method: string;
  failed: FailedTry;
  waitMs: number | undefined;
  tries?: number;
  left?: number;
  sinceOutageMs?: number;
  repeatable?: boolean;
}[] = [
  { name: 'a read whose connection broke', method: 'GET', failed: broken('ECONNRESET', true), waitMs: 25 },
  {
    name: 'a write that never reached the server',
    method: 'POST',
    failed: broken('ECONNREFUSED', false),
    waitMs: 25,
  },
  {
    name: 'a write that may have reached it',
    method: 'POST',
    failed: broken('ECONNRESET', true),
    waitMs: undefined,
  },
  {
    name: 'a write that may have reached it, and may be carried out twice',
    method: 'DELETE',
    failed: broken('ECONNRESET', true),
    repeatable: true,
    waitMs: 25,
  },
  {
    name: 'a host that does not exist',
    method: 'GET',
    failed: broken('ENOTFOUND', false),
    waitMs: undefined,
  },
  {
    name: 'a certificate that is not trusted',
    method: 'GET',
    failed: broken('DEPTH_ZERO_SELF_SIGNED_CERT', false),
    waitMs: undefined,
  },
  {
    name: 'a certificate for another name',
    method: 'GET',
    failed: broken('ERR_TLS_CERT_ALTNAME_INVALID', false),
    waitMs: undefined,
  },
  {
    name: 'the fourth failure waits longer',
    method: 'GET',
    failed: broken(undefined, true),
    tries: 4,
    waitMs: 200,
  },
  {
    name: 'no wait for a connection grows beyond a second',
    method: 'GET',
    failed: broken(undefined, true),
    tries: 40,
    waitMs: 500,
  },
  {
    name: 'no wait for an overloaded server grows beyond 5 s',
    method: 'GET',
    failed: answered(503),
    tries: 40,
    waitMs: 2_500,
  },
  { name: 'overload of a write', method: 'PATCH', failed: answered(429, '1'), waitMs: 1_025 },
  { name: 'overload without a time', method: 'PATCH', failed: answered(429), waitMs: 25 },
  {
    name: 'an eviction refused by a disruption budget',
    method: 'POST',
    failed: answered(429, '10', disruptionBudget),
    waitMs: undefined,
  },
  { name: 'a read from a server that starts', method: 'GET', failed: answered(503), waitMs: 25 },
  { name: 'a write to it', method: 'PUT', failed: answered(503), waitMs: undefined },
  { name: 'a write refused with a time', method: 'PUT', failed: answered(503, '2'), waitMs: 2_025 },
  { name: 'an error of the server', method: 'GET', failed: answered(500), waitMs: undefined },
  { name: 'not found', method: 'GET', failed: answered(404), waitMs: undefined },
  { name: 'what is forbidden', method: 'PATCH', failed: answered(403), waitMs: undefined },
  {
    name: 'what a server forbids that has just come back and may not have read its roles yet',
    method: 'PATCH',
    failed: answered(403),
    sinceOutageMs: 29_999,
    waitMs: 25,
  },
  {
    name: 'what it still forbids long after',
    method: 'PATCH',
    failed: answered(403),
    sinceOutageMs: 30_000,
    waitMs: undefined,
  },
  {
    name: 'an account that a server does not know which has just come back',
    method: 'GET',
    failed: answered(401),
    sinceOutageMs: 0,
    waitMs: 25,
  },
  {
    name: 'a kind that it does not serve yet',
    method: 'GET',
    failed: answered(404, undefined, { details: {} }),
    sinceOutageMs: 500,
    waitMs: 25,
  },
  {
    name: 'an object that it does not have, which it knows',
    method: 'GET',
    failed: answered(404, undefined, { details: { name: 'x' } }),
    sinceOutageMs: 500,
    waitMs: undefined,
  },
  {
    name: 'a conflict, which comes from its store',
    method: 'PUT',
    failed: answered(409),
    sinceOutageMs: 500,
    waitMs: undefined,
  },
  { name: 'a wait beyond the limit', method: 'GET', failed: answered(429, '60'), waitMs: undefined },
  {
    name: 'a wait to the very end of the limit',
    method: 'GET',
    failed: broken('x', true),
    left: 25,
    waitMs: undefined,
  },
];

for (const row of table) {
  const { name, method, failed, waitMs, tries = 1, left = 30_000, sinceOutageMs } = row;
  const { repeatable = method === 'GET' } = row;
  test(`${waitMs === undefined ? 'does not repeat' : 'repeats'} ${method}: ${name}`, () => {
    assert.equal(
      decideRetry(failed, { repeatable, tries, remainingMs: left, now: 0, sinceOutageMs }, () => 0.5),
      waitMs,
    );
  });
}

test('Retry-After is seconds or a date', () => {
  const now = Date.parse('2030-01-01T00:00:00Z');
  assert.equal(parseRetryAfter('7', now), 7_000);
  assert.equal(parseRetryAfter('Tue, 01 Jan 2030 00:00:03 GMT', now), 3_000);
  assert.equal(parseRetryAfter('Mon, 31 Dec 2029 00:00:00 GMT', now), 0);
  assert.equal(parseRetryAfter('soon', now), undefined);
  assert.equal(parseRetryAfter(undefined, now), undefined);
});
