import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pressure } from '../api/schema/result.ts';
import { describeOverload, gravestPressures } from './overload.ts';

const peak = (value: number) => ({ value, time: '2030-01-01T00:00:00.000Z' });

/** What one process saw: late by milliseconds, with a load on 2 cores, and a share of waiting. */
function seen(process: string, lateMs: number, load?: number, waits?: number, cores = 2): Pressure {
  return {
    process,
    cores,
    eventLoopLateMs: peak(lateMs),
    ...(load === undefined ? {} : { load: peak(load) }),
    ...(waits === undefined ? {} : { cpuWaitPercent: peak(waits) }),
  };
}

const EXPERIMENT = 'experiment/pod-delete';
const HELPER = 'helper/loss-abc';
const LATE =
  "the process was stopped, held back by a limit of CPU time or by its machine's host, or at work itself";

const TABLE: readonly (readonly [what: string, pressures: readonly Pressure[], text: string | undefined])[] =
  [
    ['nothing is known', [], undefined],
    ['a quiet machine', [seen(EXPERIMENT, 3, 0.4, 1)], undefined],
    ['just below every threshold', [seen(EXPERIMENT, 499, 7.99, 100)], undefined],
    [
      'load and lateness',
      [seen(EXPERIMENT, 4_040, 53.2, 97)],
      'this machine was overloaded: load 53 on 2 cores, the event loop of the experiment was late by up to 4 s',
    ],
    ['load alone', [seen(EXPERIMENT, 499, 8, 50)], 'this machine was overloaded: load 8 on 2 cores'],
    ['of one core', [seen(EXPERIMENT, 0, 4.25, 50, 1)], 'this machine was overloaded: load 4.3 on 1 core'],
    ['the same load on more cores', [seen(EXPERIMENT, 0, 53, 97, 16)], undefined],
    ['load that waits for disks', [seen(EXPERIMENT, 0, 53, 49.9)], undefined],
    [
      'a kernel that does not count waits',
      [seen(EXPERIMENT, 0, 53)],
      'this machine was overloaded: load 53 on 2 cores',
    ],
    [
      'late without load',
      [seen(EXPERIMENT, 500, 0.4, 2)],
      `the event loop of the experiment was late by up to 500 ms at load 0.4 on 2 cores: ${LATE}`,
    ],
    [
      'late, and no load is known',
      [seen(EXPERIMENT, 1_500)],
      `the event loop of the experiment was late by up to 1.5 s: ${LATE}`,
    ],
    [
      'a helper on another machine',
      [seen(EXPERIMENT, 3, 0.4, 1), seen(HELPER, 2_000, 53, 97)],
      'the machine of helper loss-abc was overloaded: load 53 on 2 cores, the event loop of helper loss-abc was late by up to 2 s',
    ],
    [
      'all on one machine: the latest',
      [seen(EXPERIMENT, 900, 53, 97), seen(HELPER, 800, 54, 97)],
      'this machine was overloaded: load 53 on 2 cores, the event loop of the experiment was late by up to 900 ms',
    ],
    [
      'an overloaded machine before a process that was late',
      [seen(EXPERIMENT, 9_000, 0.4, 2), seen(HELPER, 0, 53, 97)],
      'the machine of helper loss-abc was overloaded: load 53 on 2 cores',
    ],
  ];

for (const [what, pressures, text] of TABLE) {
  test(`overload: ${what}`, () => assert.equal(describeOverload(pressures), text));
}

test('of many helpers those are kept that had it worst, the worst first', () => {
  const helpers = Array.from({ length: 50 }, (_, index) => seen(`helper/h${index}`, 1_000 + index));
  helpers.push(seen('helper/loaded', 0, 53, 97));
  const kept = gravestPressures(helpers).map(({ process }) => process);
  assert.deepEqual(kept, [
    'helper/loaded',
    ...[49, 48, 47, 46, 45, 44, 43, 42].map((index) => `helper/h${index}`),
  ]);
});
