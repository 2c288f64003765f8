import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForceRecord } from './in-force.ts';

const START = Date.UTC(2026, 0, 1);
const clock = (ms: number): string => new Date(START + ms).toISOString();

type Times = readonly [beganMs: number, endedMs: number];

const CASES: readonly {
  readonly name: string;
  /** Runs of the probe; the fault is in force from 0 to 20 s. */
  readonly runs: readonly Times[];
  readonly spans?: readonly Times[];
  readonly pauseMs?: number;
  readonly minimumCoverage?: number;
  readonly missed: Times | undefined;
}[] = [
  {
    name: 'measured all the time',
    runs: [
      [0, 9000],
      [9500, 20_000],
    ],
    missed: undefined,
  },
  {
    name: 'nothing in the middle',
    runs: [
      [0, 8000],
      [11_000, 20_000],
    ],
    missed: [8000, 11_000],
  },
  {
    name: 'as long as a tenth',
    runs: [
      [0, 8000],
      [10_000, 20_000],
    ],
    missed: undefined,
  },
  { name: 'nothing at the begin', runs: [[5000, 20_000]], missed: [0, 5000] },
  { name: 'nothing at the end', runs: [[-100, 15_000]], missed: [15_000, 20_000] },
  {
    name: 'the longest of two',
    runs: [
      [3000, 15_000],
      [18_000, 18_100],
    ],
    missed: [0, 3000],
  },
  { name: 'a pause that the user wants', runs: [[5000, 20_000]], pauseMs: 5000, missed: undefined },
  {
    name: 'a tenth of a short time in force is less than a second',
    runs: [[0, 1000]],
    spans: [[0, 2000]],
    missed: undefined,
  },
  {
    name: 'times in which the fault was not in force do not count',
    runs: [
      [0, 5000],
      [15_000, 20_000],
    ],
    spans: [
      [0, 5500],
      [14_500, 20_000],
    ],
    missed: undefined,
  },
  { name: 'any share is enough', runs: [[0, 100]], minimumCoverage: 0, missed: undefined },
];

for (const { name, runs, spans, pauseMs = 0, minimumCoverage = 90, missed } of CASES) {
  test(`unmeasured while the fault was in force: ${name}`, () => {
    const force = new ForceRecord();
    force.began(START);
    for (const [beganMs, endedMs] of runs)
      force.add(0, { beganMs: START + beganMs, endedMs: START + endedMs });
    force.ended(START + 20_000, undefined);
    if (spans !== undefined)
      force.measuredIn(spans.map(([from, to]) => ({ fromMs: START + from, toMs: START + to })));
    const text = force.describeMissed(0, { pauseMs, minimumCoverage });
    assert.equal(
      text?.match(/from \S+ to [^:]+:[^:]+:[^:]+:/)?.[0],
      missed && `from ${clock(missed[0])} to ${clock(missed[1])}:`,
    );
  });
}

test('a probe that did not measure while the fault was in force says whether the machine could keep up', () => {
  const force = new ForceRecord();
  force.began(10_000);
  force.add(0, { beganMs: 9_000, endedMs: 18_000 });
  force.ended(15_000, undefined);
  const said = force.describeUnmeasured(0, 0);
  assert.match(
    said,
    /its last run began at .*; raise TOTAL_CHAOS_DURATION, or lower the time that a run of the probe takes$/,
  );
  assert.equal(
    force.describeUnmeasured(0, 0, 'this machine was overloaded: load 31 on 2 cores'),
    `${said}, or run on a machine that is less busy: this machine was overloaded: load 31 on 2 cores`,
  );
});
