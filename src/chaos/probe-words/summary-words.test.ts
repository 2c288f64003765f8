import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProbeSummary, ProbeSummaryPart } from '../../api/schema/result.ts';
import { summaryWords } from './summary-words.ts';

const part = (rest: Partial<ProbeSummaryPart> = {}): ProbeSummaryPart => ({
  measurements: 0,
  failed: 0,
  ...rest,
});
const at = (sinceInjectionMs: number, sinceRevertMs?: number): NonNullable<ProbeSummary['recovery']> => ({
  time: '2026-01-01T00:00:00.000Z',
  sinceInjectionMs,
  ...(sinceRevertMs !== undefined && { sinceRevertMs }),
});

function summary(rest: Partial<ProbeSummary>): ProbeSummary {
  const injected = '2026-01-01T00:00:00.000Z';
  return { measurements: 0, failed: 0, injected, before: part(), during: part(), after: part(), ...rest };
}

const outage = { from: '2026-01-01T00:00:03.500Z', until: '2026-01-01T00:00:09.100Z', ms: 5600, ended: true };
const refused = [
  { kind: 'refused', count: 12 },
  { kind: 'no answer in 1 s', count: 2 },
];

const TABLE: readonly (readonly [name: string, ProbeSummary, words: string])[] = [
  [
    'failures during the fault',
    summary({
      before: part({ measurements: 40, p95Ms: 12 }),
      during: part({ measurements: 700, failed: 14, failures: refused, p95Ms: 2100 }),
      after: part({ measurements: 60, p95Ms: 13 }),
      firstFailure: at(3500, -6500),
      lastFailure: at(9100, -900),
      recovery: at(9100, -900),
      outage,
    }),
    '14 of 760 requests failed during the fault, between +3.5 s and +9.1 s (12 refused, 2 no answer in 1 s), longest outage 5.6 s; ' +
      'p95 12 ms before, 2.1 s during, 13 ms after',
  ],
  [
    'one failure after the fault, no recovery',
    summary({
      during: part({ measurements: 10 }),
      after: part({ measurements: 1, failed: 1, failures: [{ kind: 'status 503', count: 1 }] }),
      firstFailure: at(21_000, 1000),
      lastFailure: at(21_000, 1000),
      outage: { ...outage, ms: 30, ended: false },
    }),
    '1 of 11 requests failed after the fault, at +21 s (1 status 503), longest outage 30 ms, not recovered',
  ],
  [
    'failures during and after, and earlier ones',
    summary({
      before: part({ measurements: 5, failed: 2, failures: [{ kind: 'reset', count: 2 }] }),
      lastFailureBefore: at(-4200),
      during: part({ measurements: 10, failed: 3, failures: [{ kind: 'refused', count: 3 }] }),
      after: part({ measurements: 10, failed: 1, failures: [{ kind: 'refused', count: 1 }] }),
      firstFailure: at(0, -10_000),
      lastFailure: at(10_500, 500),
      recovery: at(11_000, 1000),
      outage: { ...outage, ms: 11_000 },
    }),
    '4 of 20 requests failed, 3 during and 1 after the fault, between +0 ms and +10.5 s (4 refused), longest outage 11 s, ' +
      'recovered 1 s after the fault; 2 failed before the fault, the last 4.2 s before it (2 reset)',
  ],
  [
    'none failed, but attempts did',
    summary({
      during: part({ measurements: 9, retried: 1 }),
      after: part({ measurements: 1, retried: 1 }),
      outage,
    }),
    'none of 10 requests failed, 2 passed only by a further attempt, longest outage 5.6 s',
  ],
  [
    'a failure, and attempts that failed as well',
    summary({
      during: part({ measurements: 10, failed: 1, failures: [{ kind: 'reset', count: 1 }], retried: 3 }),
      firstFailure: at(2000),
      lastFailure: at(2000),
      recovery: at(2100),
      outage: { ...outage, ms: 100 },
    }),
    '1 of 10 requests failed during the fault, at +2 s (1 reset), 3 passed only by a further attempt, longest outage 100 ms',
  ],
  [
    'a failure that began before the fault and ended in it',
    summary({
      during: part({ measurements: 3, failed: 2, failures: [{ kind: 'no answer in 2 s', count: 2 }] }),
      firstFailure: at(-1400),
      lastFailure: at(600),
    }),
    '2 of 3 requests failed during the fault, between -1.4 s (under way when the fault began) and +600 ms (2 no answer in 2 s)',
  ],
  ['none', summary({ during: part({ measurements: 1 }) }), 'none of 1 request failed'],
  [
    'no fault',
    {
      measurements: 3,
      failed: 3,
      before: part({ measurements: 3, failed: 3 }),
      during: part(),
      after: part(),
    },
    '3 of 3 requests failed; there was no fault',
  ],
  [
    'many kinds',
    summary({
      during: part({
        measurements: 9,
        failed: 9,
        failures: [4, 2, 1, 1, 1].map((count, index) => ({ kind: `status ${500 + index}`, count })),
      }),
      firstFailure: at(0),
      lastFailure: at(900),
    }),
    '9 of 9 requests failed during the fault, between +0 ms and +900 ms (4 status 500, 2 status 501, 1 status 502, 2 in other ways)',
  ],
];

for (const [name, given, words] of TABLE) {
  test(name, () => assert.equal(summaryWords(given, 'httpProbe'), words));
}

test('other types measure', () => {
  assert.equal(
    summaryWords(summary({ during: part({ measurements: 2 }) }), 'k8sProbe'),
    'none of 2 measurements failed',
  );
});
