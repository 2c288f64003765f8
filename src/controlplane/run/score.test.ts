import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WeighedFault } from './fault.ts';
import { scoreOf } from './score.ts';
import { type EngineFacts, execution } from './testing/execution.ts';

const engine = (
  engineName: string,
  probeSuccessPercentage: string,
  experimentVerdict = 'Pass',
): EngineFacts => ({
  engineName,
  probeSuccessPercentage,
  experimentVerdict,
});
const fault = (name: string, weight = 10): WeighedFault => ({ name, weight });

const SCORES: readonly [name: string, faults: WeighedFault[], engines: EngineFacts[], score: number][] = [
  ['all probes passed', [fault('pod-delete')], [engine('pod-deleteabcde', '100')], 100],
  ['weights count', [fault('a', 3), fault('b', 1)], [engine('a12345', '100'), engine('b12345', '0')], 75],
  [
    'two decimals, cut',
    [fault('a'), fault('b'), fault('c')],
    [engine('a12345', '100'), engine('b12345', '100')],
    66.66,
  ],
  ['a share with a fraction', [fault('a')], [engine('a12345', '66.67')], 66.67],
  ['a share that is awaited', [fault('a')], [engine('a12345', 'Awaited')], 0],
  ['a share above all', [fault('a')], [engine('a12345', '999')], 100],
  ['a fault that never started', [fault('a'), fault('b')], [engine('a12345', '100')], 50],
  ['no faults', [], [engine('a12345', '100')], 0],
  ['weights of nothing', [fault('a', 0)], [engine('a12345', '100')], 0],
  ['an engine of nobody', [fault('a')], [engine('a12345', '100'), engine('zzz', '0')], 100],
  [
    'an engine that was made twice',
    [fault('a'), fault('b')],
    [engine('a11111', '100'), engine('a22222', '0'), engine('b11111', '100')],
    75,
  ],
  [
    'two steps of one name',
    [fault('a', 5), fault('a', 5), fault('b', 10)],
    [engine('a11111', '100'), engine('a22222', '100'), engine('b11111', '0')],
    50,
  ],
  [
    'names within names',
    [fault('pod-cpu-hog', 1), fault('pod-cpu-hog-exec', 3)],
    [engine('pod-cpu-hog-execabcde', '100'), engine('pod-cpu-hogabcde', '0')],
    75,
  ],
  [
    'a name that looks like another one and five letters',
    [fault('pod', 1), fault('podabcde', 3)],
    [engine('podabcde12345', '100')],
    75,
  ],
  ['a name that was given', [fault('pod-delete')], [engine('x-pod-delete-1', '100')], 100],
];

for (const [name, faults, engines, score] of SCORES) {
  test(`scores ${name}`, () => {
    assert.equal(scoreOf(faults, execution(engines)).resiliencyScore, score);
    assert.equal(scoreOf(faults.toReversed(), execution(engines.toReversed())).resiliencyScore, score);
  });
}

test('counts faults by their verdicts', () => {
  const verdicts = ['Pass', 'Fail', 'Error', 'Awaited', 'Stopped', 'N/A', ''];
  const engines = verdicts.map((verdict, index) => engine(`f${index}-aaaaa`, '0', verdict));
  const faults = [...engines.keys()].map((index) => fault(`f${index}-`));
  assert.deepEqual(scoreOf([...faults, fault('never-started')], execution(engines)), {
    resiliencyScore: 0,
    passed: 1,
    failed: 2,
    awaited: 1,
    stopped: 1,
    na: 3,
    total: 8,
  });
});

test('an engine without a workflow is known by its experiment', () => {
  const data = execution([{ ...engine('shop-1700000000000', '100'), ...{ experimentName: 'pod-delete' } }]);
  assert.equal(scoreOf([fault('pod-delete')], data).resiliencyScore, 100);
});
