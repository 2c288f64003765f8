import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunMetric } from '../../../src/controlplane/schema/generated/types.ts';
import { axisOf, isBeyond, withCurves } from '../timeline/axis.ts';
import { metricLanes } from './metric-lanes.ts';

const START = 1_000_000;

type Values = readonly (number | null)[];

function metric(more: Partial<RunMetric> = {}): RunMetric {
  return { name: 'errors', unit: '1/s', problem: null, leftOut: 0, series: [], ...more };
}

function series(labels: Readonly<Record<string, string>>, ...values: Values) {
  return { labels: Object.entries(labels).map(([name, value]) => ({ name, value })), values };
}

function shown(...metrics: readonly RunMetric[]) {
  return metricLanes({ startMs: START, stepMs: 1_000, metrics });
}

test('a series is a lane with its numbers in time, and what is not known is a gap', () => {
  const { lanes, notes } = shown(metric({ series: [series({ job: 'web' }, 1, null, 3)] }));
  assert.deepEqual(lanes, [
    {
      ...{ group: 'Metrics', name: 'errors' },
      curve: {
        ...{ what: '', unit: '1/s', scale: { min: 1, max: 3 } },
        ...{ times: [START, START + 1_000, START + 2_000], values: [1, Number.NaN, 3] },
      },
    },
  ]);
  assert.deepEqual(notes, []);
});

for (const [name, given, expected] of [
  ['one series needs no labels', [{ job: 'a', pod: 'x' }], ['errors']],
  [
    'labels that are the same say nothing',
    [
      { job: 'a', pod: 'x' },
      { job: 'a', pod: 'y' },
    ],
    ['errors pod=x', 'errors pod=y'],
  ],
  [
    'several labels',
    [
      { b: '1', a: '2' },
      { a: '3', b: '4' },
    ],
    ['errors a=2, b=1', 'errors a=3, b=4'],
  ],
  ['a label that one has not', [{ code: '500' }, {}], ['errors code=500', 'errors']],
  [
    'the name of a metric',
    [{ __name__: 'a' }, { __name__: 'b' }],
    ['errors __name__=a', 'errors __name__=b'],
  ],
] as const) {
  test(`what lanes are called: ${name}`, () => {
    const { lanes } = shown(metric({ series: given.map((labels) => series(labels, 1)) }));
    assert.deepEqual(
      lanes.map((lane) => lane.name),
      expected,
    );
  });
}

test('series of one query have one scale, and other queries theirs', () => {
  const { lanes } = shown(
    metric({ series: [series({ a: '1' }, 1, 5), series({ a: '2' }, null, -2)] }),
    metric({ name: 'memory', series: [series({}, 7)] }),
  );
  assert.deepEqual(
    lanes.map(({ curve }) => curve.scale),
    [
      { min: -2, max: 5 },
      { min: -2, max: 5 },
      { min: 7, max: 7 },
    ],
  );
});

test('a query without a lane is listed with the reason', () => {
  const { lanes, notes } = shown(
    metric({ problem: 'status 400, bad_data: parse error' }),
    metric({ name: 'none' }),
    metric({ name: 'gaps', series: [series({ a: '1' }, null), series({ a: '2' }, 1)], leftOut: 4 }),
  );
  assert.deepEqual(
    lanes.map(({ name }) => name),
    ['gaps a=2'],
  );
  assert.deepEqual(notes, [
    'errors: status 400, bad_data: parse error',
    'none: the Prometheus has nothing of this time',
    'gaps: 1 series without a number that can be drawn',
    'gaps: 4 series more than are shown; a query that adds them up has fewer',
  ]);
});

test('lanes of metrics stand under the others; marks keep their numbers, and the time around the run can be shown', () => {
  const bar = { kind: 'life', fromMs: START, toMs: START + 10_000, label: 'a' } as const;
  const axis = axisOf({
    ...{ startMs: START, endMs: START + 10_000 },
    lanes: [{ group: 'Run', name: 'runner', bars: [bar], marks: [] }],
  });
  const values: Values = Array.from({ length: 31 }, (_, n) => (n === 0 ? null : n));
  const { lanes } = metricLanes({
    ...{ startMs: START - 10_000, stepMs: 1_000 },
    metrics: [metric({ series: [series({}, ...values)] }), metric({ series: [series({}, null)] })],
  });
  const whole = withCurves(axis, lanes);
  assert.deepEqual(
    whole.lanes.map(({ group, name }) => [group, name]),
    [
      ['Run', 'runner'],
      ['Metrics', 'errors'],
    ],
  );
  assert.equal(whole.marks, axis.marks);
  assert.deepEqual(
    [axis.whole, whole.whole],
    [
      { fromMs: -200, toMs: 10_200 },
      { fromMs: -9_000, toMs: 20_000 },
    ],
  );
  assert.deepEqual([isBeyond(axis), isBeyond(whole)], [false, true]);
  const inside = withCurves(
    axis,
    metricLanes({ startMs: START, stepMs: 1_000, metrics: [metric({ series: [series({}, 1, 2)] })] }).lanes,
  );
  assert.deepEqual([inside.lanes.length, isBeyond(inside)], [2, false]);
  assert.equal(withCurves(axis, []), axis);
});
