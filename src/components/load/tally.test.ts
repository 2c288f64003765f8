import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LoadRecord } from '../../experiment/probes/load/load-plan.ts';
import { answerOf, type LoadFacts } from './answers.ts';
import { KEPT_MS, Tally } from './tally.ts';

const BEGAN = Date.parse('2030-01-01T00:00:00Z');

function answered(atMs: number, tookMs = 10): LoadRecord {
  return { outcome: 'answered', atMs: BEGAN + atMs, tookMs, lagMs: 0, target: 0 };
}

function failed(atMs: number, reason = 'status 503'): LoadRecord {
  return { outcome: 'failed', atMs: BEGAN + atMs, tookMs: 5, lagMs: 0, target: 0, reason };
}

function late(atMs: number, count: number): LoadRecord {
  return { outcome: 'unsent', atMs: BEGAN + atMs, count, why: 'late', lateMs: 1200 };
}

function tallyOf(...records: readonly LoadRecord[]): Tally {
  const tally = new Tally(BEGAN);
  for (const record of records) tally.add(record);
  return tally;
}

interface Asked {
  readonly nowMs?: number;
  readonly method?: string;
  readonly hasBegun?: boolean;
}

/** The answer to a request, with its body as JSON where it is some. */
function ask(tally: Tally, url: string, { nowMs = 60_000, method = 'GET', hasBegun = true }: Asked = {}) {
  const facts: LoadFacts = { tally, hasBegun, concurrency: 8, nowMs: BEGAN + nowMs };
  const reply = answerOf(method, url, facts);
  assert.ok(reply !== undefined && typeof reply.body === 'string');
  const isJson = reply.contentType === 'application/json';
  return { status: reply.status, text: reply.body, body: isJson ? JSON.parse(reply.body) : undefined };
}

describe('/stats', () => {
  it('has the counts, the kinds of failures, and latencies', () => {
    const tally = tallyOf(answered(0), answered(100, 30), failed(200), failed(300, 'ECONNREFUSED'));
    const { status, body } = ask(tally, '/stats');
    assert.equal(status, 200);
    assert.deepEqual(body, {
      since: '2030-01-01T00:00:00.000Z',
      sent: 4,
      answered: 2,
      failed: 2,
      notSent: 0,
      answeredPercent: 50,
      failures: { 'status 503': 1, ECONNREFUSED: 1 },
      latencyMs: { p50: 10, p95: 30, p99: 30, max: 30 },
    });
  });

  it('says what was not sent', () => {
    const { body } = ask(tallyOf(answered(0), late(10, 3)), '/stats');
    assert.equal(body.notSent, 3);
    assert.equal(body.note, "sent 1 of 4; 3 were not sent: the load's own process was late by up to 1.2 s");
  });

  it('a service that has not answered yet', () => {
    const { body } = ask(tallyOf(), '/stats', { hasBegun: false });
    assert.equal(body.answeredPercent, 0);
    assert.equal(body.note, 'the service has not answered yet');
  });
});

describe('/slo', () => {
  const hundred = [failed(0), ...Array.from({ length: 99 }, (_, index) => answered(index))];
  const table: readonly [string, Tally, string, Asked, number][] = [
    ['99 of 100 meet 99 %', tallyOf(...hundred), '/slo?objective=99', {}, 200],
    ['and not 99.1 %', tallyOf(...hundred), '/slo?objective=99.1', {}, 503],
    ['without an objective all have to be answered', tallyOf(...hundred), '/slo', {}, 503],
    ['nothing measured meets nothing', tallyOf(), '/slo?objective=0', {}, 503],
    ['nor does what was mostly not sent', tallyOf(answered(0), late(1, 1)), '/slo?objective=99', {}, 503],
    ['a few that were not sent do not matter', tallyOf(...hundred, late(1, 9)), '/slo?objective=99', {}, 200],
    ['no answer yet', tallyOf(), '/slo?objective=0', { hasBegun: false }, 503],
    ['of the last seconds only', tallyOf(failed(0), answered(50_000)), '/slo?since=10s', {}, 200],
    ['since a time', tallyOf(failed(0), answered(50_000)), '/slo?since=2030-01-01T00:00:50Z', {}, 200],
    [
      'with a time zone',
      tallyOf(failed(0), answered(50_000)),
      '/slo?since=2030-01-01T01:00:50+01:00',
      {},
      200,
    ],
    [
      'since seconds of 1970',
      tallyOf(failed(0), answered(50_000)),
      `/slo?since=${BEGAN / 1000 + 50}`,
      {},
      200,
    ],
    ['since before the beginning', tallyOf(failed(0), answered(50_000)), '/slo?since=2h', {}, 503],
  ];
  for (const [name, tally, url, asked, status] of table)
    it(name, () => assert.equal(ask(tally, url, asked).status, status));

  const wrong: readonly [string, RegExp][] = [
    ['/slo?objective=high', /^objective: "high" is no percentage from 0 to 100/],
    ['/slo?objective=', /^objective: "" is no percentage/],
    ['/slo?objective=101', /^objective: "101" is no percentage/],
    ['/slo?since=yesterday', /^since: "yesterday" is no duration/],
  ];
  for (const [url, message] of wrong) {
    it(`${url} is refused`, () => {
      const { status, text } = ask(tallyOf(), url);
      assert.equal(status, 400);
      assert.match(text, message);
    });
  }
});

describe('a load that stays', () => {
  it('begins its counts anew on request; what was sent before does not count', () => {
    const tally = tallyOf(failed(0), failed(59_000));
    const { status, body } = ask(tally, '/reset', { method: 'POST' });
    assert.equal(status, 200);
    assert.equal(body.sent, 0);
    tally.add(failed(59_999));
    tally.add(answered(60_000));
    assert.deepEqual(ask(tally, '/slo?objective=100').status, 200);
    assert.equal(ask(tally, '/reset').status, 405);
    assert.equal(ask(tally, '/slo', { method: 'POST' }).status, 405);
  });

  it('forgets single seconds after an hour, and not the sum', () => {
    const tally = tallyOf(failed(0), answered(KEPT_MS + 5000));
    const nowMs = KEPT_MS + 6000;
    assert.equal(ask(tally, '/stats', { nowMs }).body.failed, 1);
    assert.equal(ask(tally, '/stats?since=59m', { nowMs }).body.failed, 0);
    const { status, text } = ask(tally, '/stats?since=60m3s', { nowMs });
    assert.equal(status, 400);
    assert.match(text, /single seconds are known for the last 1 h only/);
  });
});
