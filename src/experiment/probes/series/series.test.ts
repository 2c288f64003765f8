import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SeriesMeasurement } from './measurement.ts';
import { Series } from './series.ts';

const START = Date.UTC(2026, 0, 1);
const iso = (ms: number): string => new Date(START + ms).toISOString();

/** Measurements of 10 ms each; `x` fails, `.` passes. One every 100 ms. */
function measurements(pattern: string): SeriesMeasurement[] {
  return [...pattern].map((sign, index) => {
    const beganMs = START + index * 100;
    const endedMs = beganMs + 10;
    return sign === '.'
      ? { beganMs, endedMs, ok: true, latencyMs: 10 }
      : { beganMs, endedMs, ok: false, failure: 'refused' };
  });
}

function seriesOf(pattern: string, window: { injected?: number; reverted?: number } = {}): Series {
  const series = new Series();
  for (const one of measurements(pattern)) series.add(one);
  if (window.injected !== undefined) series.injected(START + window.injected);
  if (window.reverted !== undefined) series.reverted(START + window.reverted);
  return series;
}

test('parts, outage, moments and gap of a fault from 0.25 s to 0.75 s', () => {
  const summary = seriesOf('...xxx.x..', { injected: 250, reverted: 750 }).summary();
  assert.deepEqual(summary, {
    measurements: 10,
    failed: 4,
    injected: iso(250),
    reverted: iso(750),
    before: { measurements: 3, failed: 0, latencies: 3, p50Ms: 10, p95Ms: 10, p99Ms: 10, maxMs: 10 },
    during: {
      measurements: 5,
      failed: 4,
      failures: [{ kind: 'refused', count: 4 }],
      latencies: 1,
      p50Ms: 10,
      p95Ms: 10,
      p99Ms: 10,
      maxMs: 10,
    },
    after: { measurements: 2, failed: 0, latencies: 2, p50Ms: 10, p95Ms: 10, p99Ms: 10, maxMs: 10 },
    firstFailure: { time: iso(300), sinceInjectionMs: 50, sinceRevertMs: -450 },
    lastFailure: { time: iso(700), sinceInjectionMs: 450, sinceRevertMs: -50 },
    recovery: { time: iso(800), sinceInjectionMs: 550, sinceRevertMs: 50 },
    outage: { from: iso(300), until: iso(600), ms: 300, ended: true },
    longestGapMs: 90,
  });
});

test('attempts that failed before one passed are an outage, and no failed measurement', () => {
  const series = new Series();
  const [first, second] = measurements('..');
  assert.ok(first !== undefined && second !== undefined);
  series.add(first);
  series.add({ ...second, endedMs: START + 2700, retriedUntilMs: START + 2600 });
  series.injected(START + 50);
  series.reverted(START + 2800);
  const { failed, during, outage, longestGapMs } = series.summary();
  assert.deepEqual(
    { failed, measurements: during.measurements, retried: during.retried, outage, longestGapMs },
    {
      failed: 0,
      measurements: 1,
      retried: 1,
      outage: { from: iso(100), until: iso(2600), ms: 2500, ended: true },
      longestGapMs: 100,
    },
  );
});

test('failed measurements before attempts that failed are the same outage', () => {
  const series = new Series();
  for (const one of measurements('xx.')) {
    series.add(one.ok ? { ...one, endedMs: START + 900, retriedUntilMs: START + 800 } : one);
  }
  series.injected(START);
  assert.deepEqual(series.summary().outage, { from: iso(0), until: iso(800), ms: 800, ended: true });
});

const OUTAGES: readonly {
  readonly name: string;
  readonly pattern: string;
  readonly injected?: number;
  readonly reverted?: number;
  readonly ms: number | undefined;
  readonly ended?: boolean;
}[] = [
  { name: 'none', pattern: '.....', injected: 150, ms: undefined },
  { name: 'one that was over before the fault', pattern: '.xx...', injected: 350, ms: undefined },
  { name: 'one without any fault', pattern: '.xx...', ms: undefined },
  { name: 'one that the fault met', pattern: '.xxx..', injected: 250, ms: 300, ended: true },
  { name: 'one that lasts', pattern: '...xx', injected: 250, ms: 110, ended: false },
  { name: 'the longer of two', pattern: '..x.xx..', injected: 150, ms: 200, ended: true },
  { name: 'one after the revert', pattern: '......xxx.', injected: 150, reverted: 450, ms: 300, ended: true },
];

for (const { name, pattern, injected, reverted, ms, ended } of OUTAGES) {
  test(`longest outage: ${name}`, () => {
    const window = {
      ...(injected !== undefined && { injected }),
      ...(reverted !== undefined && { reverted }),
    };
    const { outage } = seriesOf(pattern, window).summary();
    assert.deepEqual([outage?.ms, outage?.ended], [ms, ended]);
  });
}

test('a measurement that was under way as the fault began or ended has seen it', () => {
  const series = new Series();
  series.add({ beganMs: START, endedMs: START + 100, ok: true });
  series.add({ beganMs: START + 150, endedMs: START + 250, ok: true });
  series.injected(START + 50);
  series.reverted(START + 200);
  const { before, during, after } = series.summary();
  assert.deepEqual(
    [before, during, after].map(({ measurements: n }) => n),
    [0, 2, 0],
  );
});

test('before the fault: the last failure, and since when it has been failing', () => {
  const recovered = seriesOf('x..', { injected: 250 }).summary();
  assert.deepEqual(recovered.lastFailureBefore, { time: iso(0), sinceInjectionMs: -250 });
  assert.deepEqual(
    [recovered.firstFailure, recovered.recovery, recovered.failingSince],
    [undefined, undefined, undefined],
  );
  const failing = seriesOf('.xx').summary();
  assert.deepEqual(failing.failingSince, { time: iso(100) });
});

test('a gap: until the revert nothing measured', () => {
  const series = seriesOf('..', { injected: 50, reverted: 5000 });
  assert.equal(series.summary().longestGapMs, 4890);
  assert.equal(seriesOf('..').summary().longestGapMs, undefined);
});

test('overlapping requests are put into the order of their begins', () => {
  const series = new Series();
  series.injected(START);
  // The first waits for its limit, while others are answered.
  series.add({ beganMs: START + 100, endedMs: START + 110, ok: true });
  series.add({ beganMs: START + 200, endedMs: START + 210, ok: true });
  series.add({
    beganMs: START,
    endedMs: START + 1000,
    ok: false,
    failure: 'no answer in 1 s',
    latencyMs: 1000,
  });
  assert.equal(series.summary().outage?.ms, 100);
});

test('the order of ends and the size of the buffer change nothing', () => {
  const request = fc.record({
    beganMs: fc.integer({ min: 0, max: 10_000 }),
    tookMs: fc.integer({ min: 0, max: 40 }),
    ok: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(request, { selector: ({ beganMs }) => beganMs, maxLength: 120 }),
      (requests) => {
        const all = requests.map(({ beganMs, tookMs, ok }): SeriesMeasurement => {
          const [began, ended] = [START + beganMs, START + beganMs + tookMs];
          return ok
            ? { beganMs: began, endedMs: ended, ok, latencyMs: tookMs }
            : { beganMs: began, endedMs: ended, ok, failure: 'refused' };
        });
        const large = new Series();
        const small = new Series({ pendingLimit: 50 });
        for (const series of [large, small]) {
          series.injected(START + 3000);
          series.reverted(START + 6000);
        }
        for (const one of all.toSorted((a, b) => a.beganMs - b.beganMs)) large.add(one);
        for (const one of all.toSorted((a, b) => a.endedMs - b.endedMs)) small.add(one);
        assert.deepEqual(small.summary(), large.summary());
      },
    ),
  );
});

test('memory is bounded, and counts stay exact', () => {
  const series = new Series({ pendingLimit: 4 });
  series.injected(START);
  const total = 10_000;
  for (let index = 0; index < total; index += 1) {
    const beganMs = START + index;
    series.add({
      beganMs,
      endedMs: beganMs + 1,
      ok: index % 10 !== 0,
      failure: `status ${index}`,
      latencyMs: 1,
    });
  }
  const { measurements: count, failed, during } = series.summary();
  assert.deepEqual([count, failed], [total, total / 10]);
  assert.equal(during.failures?.length, 13);
  assert.deepEqual(during.failures?.[0], { kind: 'other', count: 988 });
});
