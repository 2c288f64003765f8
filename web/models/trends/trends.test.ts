import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceRun, ServiceTrends } from '../../../src/controlplane/schema/generated/types.ts';
import {
  changeOfScore,
  headSentence,
  markWords,
  neverTried,
  recoveryLine,
  recoveryWords,
  restWords,
  trendsMarkdown,
  worstOf,
} from './trends.ts';

const DAY = 86_400_000;
const FROM = Date.parse('2026-11-02T00:00');
const SPAN = { fromMs: FROM, toMs: Date.parse('2026-11-30T00:00') };

function run(
  day: number,
  state: string,
  score: number | null,
  recoverySeconds: number | null = null,
): ServiceRun {
  return {
    ...{ experimentID: 'e', experimentName: 'pods-die', experimentRunID: `r${day}`, runSequence: day },
    ...{ at: String(FROM + day * DAY), state, score, recoverySeconds, isBack: true },
  };
}
const service = (name: string, change: number | null, ...runs: readonly ServiceRun[]) => ({
  ...{ infraID: 'i', kind: 'deployment', namespace: 'shop', name, change, runs },
});
const trends = (runs: number, ...services: ServiceTrends['services']): ServiceTrends => ({
  ...{ runs, services, withoutService: 0, leftOut: 0 },
});

const SENTENCES: readonly [ServiceTrends, string][] = [
  [trends(0), 'Nothing was run in this period.'],
  [trends(1), '1 run in this period, and of none is it known which service was tried.'],
  [trends(1, service('web', null)), '1 service was tried in 1 run; none got worse.'],
  [
    trends(14, service('web', -20), service('api', 0), service('db', 3)),
    '3 services were tried in 14 runs; 1 got worse: shop/web; 1 got better.',
  ],
];
for (const [given, sentence] of SENTENCES) test(sentence, () => assert.equal(headSentence(given), sentence));

test('runs without a mark, and those that were not read, are said', () => {
  assert.deepEqual(restWords(trends(3)), []);
  const [without, left] = restWords({ ...trends(3), withoutService: 1, leftOut: 2 });
  assert.match(without ?? '', /^1 run has no mark here/);
  assert.match(left ?? '', /^2 older runs are left out/);
});

test('the change of a score is in points', () =>
  assert.deepEqual(
    [null, 0.2, -1, 12.4, -50].map((change) => changeOfScore({ change })),
    ['', 'as before', '1 point worse', '12 points better', '50 points worse'],
  ));

test('the last time to recover stands beside what was usual', () => {
  const words = (...seconds: readonly (number | null)[]): string =>
    recoveryWords(seconds.map((recoverySeconds) => ({ recoverySeconds, isBack: true })));
  assert.equal(words(), '');
  assert.equal(words(null), '');
  assert.equal(words(1.4), '1.4 s');
  assert.equal(words(1, 9, 2, null, 4.2), '4.2 s, before 2 s');
  assert.equal(recoveryWords([{ recoverySeconds: 2, isBack: false }]), 'not back at the end of the last run');
});

test('times to recover are a line over the period', () =>
  assert.deepEqual(
    recoveryLine([run(0, 'passed', 100, 2), run(7, 'passed', 100), run(14, 'passed', 100, 4)], SPAN),
    [
      { x: 0, y: 0.5 },
      { x: 0.5, y: 1 },
    ],
  ));

test('a week is marked by its worst run', () => {
  assert.equal(
    worstOf([run(1, 'passed', 100), run(2, 'stopped', null), run(3, 'passed', 90)])?.state,
    'stopped',
  );
  assert.equal(worstOf([run(1, 'stopped', null), run(2, 'failedByProbe', 0)])?.state, 'failedByProbe');
  assert.equal(worstOf([]), undefined);
});

test('a mark says its run, its day, and how it ended', () =>
  assert.equal(markWords(run(1, 'passed', 99.6)), 'Run 1 of pods-die, 3 Nov 2026: Passed, score 100'));

test('what is there and was not hit was never tried; the same name elsewhere is another service', () => {
  const there = (name: string, infraID = 'i') => ({
    ...{ infraID, kind: 'deployment', namespace: 'shop', name, label: `app=${name}` },
  });
  assert.deepEqual(
    neverTried([there('web'), there('web', 'j'), there('api')], [service('web', 0)]).map(
      ({ name, infraID }) => [name, infraID],
    ),
    [
      ['api', 'i'],
      ['web', 'j'],
    ],
  );
});

test('as Markdown: a row for each service, and nothing that names could make of it', () => {
  const all = trends(
    3,
    service('web', -100, run(1, 'passed', 100, 2), run(8, 'failedByProbe', 0, 7)),
    service('a|b', null, run(2, 'stopped', null)),
  );
  const untried = [{ ...service('api', null), label: 'app=api' }];
  assert.equal(
    trendsMarkdown(all, untried, SPAN),
    `## Did we get better? 2 Nov 2026 to 29 Nov 2026

2 services were tried in 3 runs; 1 got worse: shop/web.

| service | by week | score | time to recover | last run |
| --- | --- | --- | --- | --- |
| shop/web | ✓ ✗ · · | 100 points worse | 7 s, before 2 s | Failed by a probe |
| shop/a\\|b | ■ · · · |  |  | Stopped |

Never tried: shop/api
`,
  );
});
