/** Numbers over time: what is painted of them, what is said of them, and where they stand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { axisOf } from './axis.ts';
import { curveOf, curveWords, makeCurveSlices, shareOf, sliceCurve, valueAt } from './curve.ts';
import { lineName } from './describe.ts';
import { CURVE_HEIGHT, HEADER_HEIGHT, layoutLanes, ROW_HEIGHT } from './layout.ts';
import { rowsInOrder } from './moment.ts';
import { walk } from './walk.ts';

const START = 1_000_000;
const curve = (points: readonly (readonly [atMs: number, value: number])[], unit = 'ms') => ({
  what: 'response time',
  unit,
  times: points.map(([at]) => START + at),
  values: points.map(([, value]) => value),
});
const made = (points: readonly (readonly [atMs: number, value: number])[]) => {
  const found = curveOf(curve(points), START);
  assert.ok(found !== undefined);
  return found;
};

test('points are put in order of time, and what is no number is left out', () => {
  const { time, value, min, max } = made([
    [30, 3],
    [10, 7],
    [20, Number.NaN],
    [40, Number.POSITIVE_INFINITY],
  ]);
  assert.deepEqual([[...time], [...value], min, max], [[10, 30], [7, 3], 3, 7]);
  assert.equal(curveOf(curve([[1, Number.NaN]]), START), undefined);
});

test('whatever shares a pixel, its extremes are painted, and the line goes on beyond the window', () => {
  const point = fc.tuple(fc.nat(10_000), fc.double({ min: -1e6, max: 1e6, noNaN: true }));
  const window = fc.tuple(fc.nat(10_000), fc.integer({ min: 2, max: 10_000 }));
  fc.assert(
    fc.property(fc.array(point, { minLength: 1, maxLength: 200 }), window, (points, [fromMs, length]) => {
      const whole = made(points);
      const width = 50;
      const slices = makeCurveSlices(width);
      sliceCurve(whole, { fromMs, toMs: fromMs + length }, width, slices);
      const inside = points.filter(([at]) => at >= fromMs && at <= fromMs + length);
      const painted = Array.from({ length: slices.length }, (_, index) => index);
      const least = Math.min(...painted.map((index) => slices.min[index] ?? 0));
      const most = Math.max(...painted.map((index) => slices.max[index] ?? 0));
      for (const [, value] of inside) assert.ok(value >= least && value <= most);
      for (let index = 1; index < slices.length; index += 1)
        assert.ok((slices.x[index] ?? 0) > (slices.x[index - 1] ?? 0));
      const before = points.some(([at]) => at < fromMs);
      const after = points.some(([at]) => at > fromMs + length);
      assert.equal((slices.x[0] ?? 0) < 0, before);
      assert.equal((slices.x[slices.length - 1] ?? 0) >= width && after, after);
    }),
  );
});

test('a pixel has the first, the least, the greatest and the last of its values', () => {
  const slices = makeCurveSlices(10);
  const points = [5, 9, 1, 6].map((value, index) => [index, value] as const);
  sliceCurve(made([...points, [95, 4]]), { fromMs: 0, toMs: 100 }, 10, slices);
  const of = (index: number) => [
    slices.x[index],
    slices.first[index],
    slices.min[index],
    slices.max[index],
    slices.last[index],
  ];
  assert.deepEqual([slices.length, of(0), of(1)], [2, [0, 5, 1, 9, 6], [9, 4, 4, 4, 4]]);
});

test('the value of a moment is the last one before it, and none where nothing was measured', () => {
  const found = made([
    [10, 7],
    [30, 3],
  ]);
  assert.deepEqual(
    [9, 10, 29, 30, 31].map((at) => valueAt(found, at)),
    [undefined, 7, 7, 3, undefined],
  );
});

test('where nothing was measured the line is broken, and no value is shown', () => {
  const found = made([
    [10, 1],
    [20, Number.NaN],
    [30, 2],
    [40, 3],
    [50, Number.POSITIVE_INFINITY],
    [60, Number.NaN],
    [70, 4],
  ]);
  assert.deepEqual(
    [10, 19, 20, 29, 30, 45, 49, 50, 65, 70].map((at) => valueAt(found, at)),
    [1, 1, undefined, undefined, 2, 3, 3, undefined, undefined, 4],
  );
  const slices = makeCurveSlices(100);
  sliceCurve(found, { fromMs: 0, toMs: 100 }, 100, slices);
  const shown = Array.from({ length: slices.length }, (_, at) => [slices.x[at], slices.isJoined[at]]);
  assert.deepEqual(shown, [
    [10, 0],
    [30, 0],
    [40, 1],
    [70, 0],
  ]);
});

const SHARES: readonly [min: number, max: number, value: number, share: number][] = [
  [0, 10, 0, 0],
  [0, 10, 10, 1],
  [0, 10, 5, 0.5],
  [3, 3, 3, 0.5],
  [-Number.MAX_VALUE, Number.MAX_VALUE, 0, 0.5],
];
for (const [min, max, value, share] of SHARES)
  test(`${value} between ${min} and ${max} stands at ${share}`, () =>
    assert.equal(shareOf({ min, max }, value), share));

const axis = axisOf({
  startMs: START,
  endMs: START + 100,
  lanes: [
    { group: 'Metrics', name: 'requests', bars: [], marks: [], curve: curve([[10, 1 / 3]], '1/s') },
    {
      group: 'Probes',
      name: 'alive',
      bars: [{ kind: 'passed', fromMs: START, toMs: START + 50, label: 'said' }],
      marks: [],
      curve: curve([
        [0, 12.5],
        [20, 340],
      ]),
    },
  ],
});

test('numbers stand below the rows of their lane, and have a name that says what and how much', () => {
  const lines = layoutLanes(axis, new Set()).lines.map((line) => [line.kind, line.top, lineName(axis, line)]);
  const second = HEADER_HEIGHT + CURVE_HEIGHT;
  assert.deepEqual(lines, [
    ['header', 0, 'Metrics'],
    ['curve', HEADER_HEIGHT, 'requests, response time 0.3333 1/s'],
    ['header', second, 'Probes'],
    ['row', second + HEADER_HEIGHT, 'alive'],
    ['curve', second + HEADER_HEIGHT + ROW_HEIGHT, 'response time 12.5 to 340 ms'],
  ]);
  const narrow = layoutLanes(axis, new Set(), true).lines;
  assert.deepEqual(
    narrow.filter(({ kind }) => kind === 'caption').map((line) => lineName(axis, line)),
    ['requests, response time 0.3333 1/s', 'alive, response time 12.5 to 340 ms'],
  );
});

test('the keyboard begins at a mark, not at numbers; the table has both', () => {
  assert.equal(walk(axis, undefined, 'next', new Set()), 0);
  assert.deepEqual(
    rowsInOrder(axis).map(({ lane, startMs, mark, point }) => [lane, startMs, mark, point]),
    [
      [1, 0, 0, undefined],
      [1, 0, undefined, 0],
      [0, 10, undefined, 0],
      [1, 20, undefined, 1],
    ],
  );
  assert.equal(curveWords(made([[0, 2]])), 'response time 2 ms');
});
