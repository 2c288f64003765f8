import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProbeSummary, ProbeSummaryPart } from '../../api/schema/result.ts';
import { compileTolerance } from '../../api/validation/probe-tolerance.ts';
import { judgeTolerance, toleratesBefore } from './tolerance.ts';

type Tolerance = NonNullable<Parameters<typeof compileTolerance>[0]>;

const part = (rest: Partial<ProbeSummaryPart> = {}): ProbeSummaryPart => ({
  measurements: 0,
  failed: 0,
  ...rest,
});

function summary(rest: Partial<ProbeSummary>): ProbeSummary {
  return {
    measurements: 0,
    failed: 0,
    before: part(),
    during: part(),
    after: part(),
    longestGapMs: 100,
    ...rest,
  };
}

const outage = (ms: number, ended = true): Partial<ProbeSummary> => ({
  outage: { from: '', until: '', ms, ended },
});
const during = (
  measurements: number,
  failed: number,
  rest: Partial<ProbeSummaryPart> = {},
): Partial<ProbeSummary> => ({
  during: part({ measurements, failed, ...rest }),
});

const TABLE: readonly (readonly [name: string, Tolerance, ProbeSummary, outcome: string, reason: RegExp])[] =
  [
    ['failed: within', { failed: '1%' }, summary(during(200, 2)), 'passed', /^1 % failed, within 1 %$/],
    ['failed: beyond', { failed: '1%' }, summary(during(200, 3)), 'failure', /^1.5 % failed, and 1 % may$/],
    [
      'failed: what is measured after the fault does not thin it out',
      { failed: '1%' },
      summary({ ...during(100, 50), after: part({ measurements: 100_000 }) }),
      'failure',
      /^50 % failed/,
    ],
    [
      'failed: after the fault counts',
      { failed: '1%' },
      summary({ ...during(100, 0), after: part({ measurements: 100, failed: 50 }) }),
      'failure',
      /^25 % failed/,
    ],
    [
      'failed: too few to know',
      { failed: '1%' },
      summary(during(99, 0)),
      'unknown',
      /less than 100 measurements .* there were 99/,
    ],
    ['failed: few, and beyond', { failed: '1%' }, summary(during(10, 1)), 'failure', /^10 % failed/],
    ['failed: none may', { failed: '0%' }, summary(during(1, 0)), 'passed', /^0 % failed, within 0 %$/],
    ['failed: none measured', { failed: '0%' }, summary({}), 'unknown', /there were 0/],
    ['outage: none', { outage: '2s' }, summary(during(10, 0)), 'passed', /^longest outage 0 ms, within 2 s$/],
    [
      'outage: within',
      { outage: '2s' },
      summary({ ...during(10, 5), ...outage(2000) }),
      'passed',
      /2 s, within 2 s/,
    ],
    [
      'outage: beyond',
      { outage: '2s' },
      summary(outage(2001)),
      'failure',
      /^an outage of 2 s, and 2 s may be$/,
    ],
    [
      'outage: one that lasts',
      { outage: '2s' },
      summary(outage(9000, false)),
      'failure',
      /^an outage of 9 s/,
    ],
    [
      'outage: nothing was measured for longer',
      { outage: '2s' },
      summary({ longestGapMs: 2500 }),
      'unknown',
      /for 2.5 s nothing was measured/,
    ],
    [
      'outage: a gap, and beyond',
      { outage: '2s' },
      summary({ longestGapMs: 2500, ...outage(3000) }),
      'failure',
      /3 s/,
    ],
    [
      'p95: within',
      { p95: '300ms' },
      summary(during(20, 0, { latencies: 20, p95Ms: 300 })),
      'passed',
      /p95 300 ms during the fault, within 300 ms$/,
    ],
    [
      'p95: beyond',
      { p95: '300ms' },
      summary(during(20, 0, { latencies: 20, p95Ms: 301 })),
      'failure',
      /^p95 301 ms during the fault, and 300 ms may be$/,
    ],
    [
      'p95: too few',
      { p95: '300ms' },
      summary(during(19, 0, { latencies: 19, p95Ms: 5 })),
      'unknown',
      /less than 20 latencies .* there were 19/,
    ],
    [
      'p95 alone: nothing may fail',
      { p95: '300ms' },
      summary(during(40, 1, { latencies: 39, p95Ms: 5 })),
      'failure',
      /^2.5 % failed, and 0 % may$/,
    ],
    [
      'max: one is enough',
      { max: '5s' },
      summary(during(1, 0, { latencies: 1, maxMs: 4000 })),
      'passed',
      /max 4 s during/,
    ],
    [
      'one beyond, one unknown',
      { failed: '1%', p95: '300ms' },
      summary(during(50, 1, { latencies: 10, p95Ms: 5 })),
      'failure',
      /^2 % failed, and 1 % may$/,
    ],
    [
      'one within, one unknown',
      { failed: '10%', p95: '300ms' },
      summary(during(15, 0, { latencies: 15, p95Ms: 5 })),
      'unknown',
      /^p95 cannot be told/,
    ],
  ];

for (const [name, tolerance, found, outcome, reason] of TABLE) {
  test(name, () => {
    const compiled = compileTolerance(tolerance);
    assert.ok(compiled);
    const judged = judgeTolerance(compiled, found);
    assert.equal(judged.outcome, outcome, judged.reason);
    assert.match(judged.reason, reason);
  });
}

test('before the fault the same share and the same outage are tolerated', () => {
  const before = part({ measurements: 100, failed: 1 });
  const table: readonly (readonly [Tolerance, number, boolean])[] = [
    [{ failed: '1%' }, 9000, true],
    [{ failed: '0.5%' }, 10, false],
    [{ outage: '2s' }, 2000, true],
    [{ outage: '2s' }, 2001, false],
    [{ p95: '1s' }, 10, false],
  ];
  for (const [tolerance, failingMs, isTolerated] of table) {
    const compiled = compileTolerance(tolerance);
    assert.ok(compiled);
    assert.equal(toleratesBefore(compiled, { before }, failingMs), isTolerated, JSON.stringify(tolerance));
  }
});
