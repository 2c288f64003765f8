import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failedShare, longestOutageMs, percentileMs, readLog, within } from './observer-log.ts';

const TEXT = `
100.0 5.0 200
120.0 4.0 ECONNREFUSED
110.0 30.0 200
130.0 1000.0 timeout
140.0 3.0 200
150.0 2.0 503
160.0 2.0 500
17`.trimStart();

test('the lines of the observer are read in the order in which the requests began, without an unfinished one', () => {
  const log = readLog(TEXT);
  assert.deepEqual(
    log.map(({ startedAt }) => startedAt),
    [100, 110, 120, 130, 140, 150, 160],
  );
  assert.deepEqual(log[3], { startedAt: 130, tookMs: 1000, outcome: 'timeout' });
});

test('an outage lasts from the first failed request to the next good one, or to the last', () => {
  const log = readLog(TEXT);
  assert.equal(longestOutageMs(log), 20);
  assert.equal(longestOutageMs(within(log, { from: 140, to: 200 })), 10);
  assert.equal(longestOutageMs(within(log, { from: 100, to: 110 })), 0);
  assert.equal(longestOutageMs([]), 0);
});

test('shares of failed requests, and response times of the good ones', () => {
  const log = readLog(TEXT);
  assert.equal(failedShare(log), 4 / 7);
  assert.equal(failedShare([]), undefined);
  assert.equal(percentileMs(log, 0.5), 5);
  assert.equal(percentileMs(log, 1), 30);
  assert.equal(percentileMs([], 0.5), undefined);
});
