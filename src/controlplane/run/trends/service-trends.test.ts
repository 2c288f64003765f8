import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HitService, serviceTrends, type TrendRun } from './service-trends.ts';

const hit = (name: string, ...recoveriesMs: readonly number[]): HitService => ({
  ...{ kind: 'deployment', namespace: 'shop', name, recoveriesMs, isBack: true },
});

function run(day: number, state: string, score: number | null, ...services: readonly HitService[]): TrendRun {
  return {
    ...{ experimentID: 'e', experimentName: 'pods-die', experimentRunID: `r${day}`, runSequence: day },
    ...{ infraID: 'i', atMs: day * 86_400_000, state, score, services },
  };
}

/** Name and change of each service, in order. */
function changes(...runs: readonly TrendRun[]): [name: string, change: number | null][] {
  return serviceTrends(runs).map(({ name, change }) => [name, change]);
}

const ROWS: readonly [what: string, runs: readonly TrendRun[], expected: ReturnType<typeof changes>][] = [
  ['nothing was run', [], []],
  ['a run hit nothing', [run(1, 'refused', null)], []],
  ['one run says nothing of a change', [run(1, 'passed', 100, hit('web'))], [['web', null]]],
  [
    'what got worse comes first, then what did not pass last, then by name',
    [
      run(1, 'passed', 100, hit('web'), hit('api')),
      run(2, 'passed', 100, hit('better'), hit('a')),
      run(3, 'failedByProbe', 50, hit('web'), hit('bad')),
      run(4, 'passed', 100, hit('api')),
    ],
    [
      ['web', -50],
      ['bad', null],
      ['a', null],
      ['api', 0],
      ['better', null],
    ],
  ],
  [
    'runs without a score are in no mean',
    [
      run(1, 'passed', 100, hit('web')),
      run(2, 'stopped', null, hit('web')),
      run(3, 'unchecked', null, hit('web')),
      run(4, 'cannotStart', null, hit('web')),
      run(5, 'passed', 100, hit('web')),
    ],
    [['web', 0]],
  ],
  [
    'of three the one in the middle counts as newer, whatever order they come in',
    [
      run(3, 'passed', 100, hit('web')),
      run(1, 'failedByProbe', 40, hit('web')),
      run(2, 'passed', 80, hit('web')),
    ],
    [['web', 50]],
  ],
];
for (const [what, runs, expected] of ROWS) test(what, () => assert.deepEqual(changes(...runs), expected));

test('the same name in another cluster, namespace or kind is another service', () => {
  const other = { ...hit('web'), namespace: 'pay' };
  const stateful = { ...hit('web'), kind: 'statefulset' };
  const elsewhere = { ...run(2, 'passed', 100, hit('web')), infraID: 'j' };
  assert.equal(serviceTrends([run(1, 'passed', 100, hit('web'), other, stateful), elsewhere]).length, 4);
});

test('a run has the longest time in which pods were missing, and whether they came back', () => {
  const [trend] = serviceTrends([
    run(1, 'passed', 100, hit('web', 1400, 4200)),
    run(2, 'failedByProbe', 0, { ...hit('web'), isBack: false }),
  ]);
  assert.deepEqual(
    trend?.runs.map(({ at, recoverySeconds, isBack }) => [at, recoverySeconds, isBack]),
    [
      ['86400000', 4.2, true],
      ['172800000', null, false],
    ],
  );
});
