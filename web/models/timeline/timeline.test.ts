/** The time axis without a browser: rows, windows, what is painted, what the pointer finds, where the keyboard goes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Axis, type AxisRecord, axisOf } from './axis.ts';
import { describeMark, nameParts } from './describe.ts';
import { markAt } from './hit.ts';
import { KINDS, kindOf } from './kinds.ts';
import { HEADER_HEIGHT, layoutLanes, lineAt, ROW_HEIGHT } from './layout.ts';
import { laneAtMoment, rowsInOrder } from './moment.ts';
import { makeSlices, sliceRow } from './slices.ts';
import { axisTicks } from './ticks.ts';
import { type Step, walk } from './walk.ts';
import { fitted, kept, panned, revealing, zoomed } from './window.ts';

const START = 1_000_000;
const bar = (kind: Axis['marks'][number]['kind'], from: number, to: number, label = 'said') => ({
  kind,
  fromMs: START + from,
  toMs: START + to,
  label,
});
const mark = (kind: Axis['marks'][number]['kind'], at: number, label = 'said') => ({
  kind,
  atMs: START + at,
  label,
});

const RECORD: AxisRecord = {
  startMs: START,
  endMs: START + 1000,
  lanes: [
    { group: 'Run', name: 'operator', bars: [bar('life', 0, 1000)], marks: [mark('step', 10)] },
    {
      group: 'Targets',
      name: 'pod web',
      bars: [
        bar('injected', 200, 600),
        bar('open', 400, Number.POSITIVE_INFINITY),
        bar('injected', 600, 700),
      ],
      marks: [mark('recovered', 650)],
    },
    { group: 'Probes', name: 'alive', bars: [bar('passed', 0, 500), bar('failure', 500, 900)], marks: [] },
  ],
};
const AXIS = axisOf(RECORD);
const NOTHING_FOLDED: ReadonlySet<string> = new Set();

test('bars that overlap have rows of their own, and a row is used again when it is free', () => {
  const spans = AXIS.lanes[1]?.rows.map(({ spans: { start, end } }) =>
    [...start].map((from, index) => `${from}-${end[index]}`),
  );
  assert.deepEqual(spans, [['200-600', '600-700'], ['400-Infinity']]);
});

test('in every row starts and ends rise, and no mark is lost', () => {
  const time = fc.nat(2000);
  const lane = fc.array(fc.tuple(time, time), { maxLength: 60 });
  fc.assert(
    fc.property(lane, (pairs) => {
      const bars = pairs.map(([from, length]) => bar('passed', from, from + length));
      const { lanes, marks } = axisOf({
        startMs: START,
        endMs: START + 5000,
        lanes: [{ group: 'g', name: 'n', bars, marks: [] }],
      });
      const rows = lanes[0]?.rows ?? [];
      for (const { spans } of rows) {
        for (let index = 1; index < spans.start.length; index += 1) {
          assert.ok((spans.start[index] ?? 0) >= (spans.end[index - 1] ?? 0));
        }
      }
      const ids = rows.flatMap(({ spans }) => [...spans.id]).toSorted((a, b) => a - b);
      assert.deepEqual(
        ids,
        marks.map((_, id) => id),
      );
    }),
  );
});

test('lines stand under each other, and a folded group is its header only', () => {
  const open = layoutLanes(AXIS, NOTHING_FOLDED);
  assert.equal(open.height, 3 * HEADER_HEIGHT + 4 * ROW_HEIGHT);
  assert.equal(open.lines[lineAt(open, HEADER_HEIGHT)]?.kind, 'row');
  assert.equal(open.lines[lineAt(open, HEADER_HEIGHT - 1)]?.kind, 'header');
  const folded = layoutLanes(AXIS, new Set(['Targets']));
  assert.equal(folded.height, 3 * HEADER_HEIGHT + 2 * ROW_HEIGHT);
  assert.equal(lineAt({ lines: [], height: 0 }, 5), -1);
});

/** Boxes of one row of a drawing of 100 pixels. */
function boxes(bars: AxisRecord['lanes'][number]['bars'], fromMs: number, toMs: number): string[] {
  const { lanes } = axisOf({ ...RECORD, lanes: [{ group: 'g', name: 'n', bars, marks: [] }] });
  const slices = makeSlices(100);
  const spans = lanes[0]?.rows[0]?.spans;
  assert.ok(spans !== undefined);
  sliceRow(spans, { fromMs, toMs }, 100, 1000, slices);
  return Array.from(
    { length: slices.length },
    (_, index) =>
      `${kindOf(slices.kind[index] ?? 0)} ${slices.left[index]}-${slices.right[index]} ×${slices.count[index]}`,
  );
}

const many = Array.from({ length: 1000 }, (_, at) => bar(at === 505 ? 'failure' : 'passed', at, at + 1));
const PAINTED: readonly [
  name: string,
  bars: AxisRecord['lanes'][number]['bars'],
  from: number,
  to: number,
  boxes: string[],
][] = [
  ['what is there is where its time is', [bar('passed', 200, 400)], 0, 1000, ['passed 20-40 ×1']],
  ['what is short is a pixel', [bar('passed', 200, 201)], 0, 1000, ['passed 20-21 ×1']],
  ['what is cut begins at the edge', [bar('passed', 0, 600)], 500, 600, ['passed 0-100 ×1']],
  ['what is outside is not painted', [bar('passed', 0, 100), bar('passed', 800, 900)], 300, 500, []],
  ['what is open ends now', [bar('open', 900, Number.POSITIVE_INFINITY)], 0, 2000, ['open 45-50 ×1']],
  [
    'what shares a pixel is one box of the worst',
    many.slice(500, 520),
    0,
    1000,
    ['failure 50-51 ×10', 'passed 51-52 ×10'],
  ],
];
for (const [name, bars, from, to, expected] of PAINTED) {
  test(`painted: ${name}`, () => assert.deepEqual(boxes(bars, from, to), expected));
}

test('a whole run of short marks fills every pixel once, with every mark counted', () => {
  const painted = boxes(many, 0, 1000);
  assert.equal(painted.length, 100);
  assert.ok(painted.every((box) => box.endsWith('×10')));
});

const drawing = {
  layout: layoutLanes(AXIS, NOTHING_FOLDED),
  window: { fromMs: 0, toMs: 1000 },
  width: 1000,
  nowMs: 1000,
};
const row = (line: number): number => (drawing.layout.lines[line]?.top ?? 0) + 12;
const HITS: readonly [name: string, x: number, y: number, found: string | undefined][] = [
  ['inside of a bar', 300, row(3), 'injected 200'],
  ['between two bars that touch, the narrower', 600, row(3), 'injected 600'],
  ['over a bar lies what happened at once', 652, row(3), 'recovered 650'],
  ['beside a bar, within reach', 197, row(3), 'injected 200'],
  ['beside a bar, out of reach', 190, row(3), undefined],
  ['after what is not over, now has passed', 1010, row(4), undefined],
  ['on a header', 300, 5, undefined],
];
for (const [name, x, y, found] of HITS) {
  test(`the pointer finds ${name}`, () => {
    const id = markAt(drawing, x, y);
    const hit = id === undefined ? undefined : AXIS.marks[id];
    assert.equal(hit === undefined ? undefined : `${hit.kind} ${hit.startMs}`, found);
  });
}

const STEPS: readonly [from: string | undefined, step: Step, to: string | undefined][] = [
  [undefined, 'next', 'life 0'],
  ['life 0', 'next', 'step 10'],
  ['step 10', 'next', undefined],
  ['step 10', 'below', 'injected 200'],
  ['recovered 650', 'below', 'failure 500'],
  ['failure 500', 'above', 'open 400'],
  ['failure 500', 'first', 'passed 0'],
  ['passed 0', 'last', 'failure 500'],
  ['failure 500', 'below', undefined],
];
const nameOf = (id: number | undefined): string | undefined => {
  const found = id === undefined ? undefined : AXIS.marks[id];
  return found === undefined ? undefined : `${found.kind} ${found.startMs}`;
};
for (const [from, step, to] of STEPS) {
  test(`the keyboard goes from ${from} to ${step}`, () => {
    const start = AXIS.marks.findIndex((_, id) => nameOf(id) === from);
    assert.equal(nameOf(walk(AXIS, start < 0 ? undefined : start, step, NOTHING_FOLDED)), to);
  });
}

test('the keyboard passes by what is folded', () => {
  const start = AXIS.marks.findIndex((_, id) => nameOf(id) === 'step 10');
  assert.equal(nameOf(walk(AXIS, start, 'below', new Set(['Targets']))), 'passed 0');
});

test('each lane says the worst of what lasts at a moment', () => {
  const at = (ms: number): (string | undefined)[] => AXIS.lanes.map((lane) => laneAtMoment(lane, ms));
  assert.deepEqual(at(450), ['life', 'open', 'passed']);
  assert.deepEqual(at(100), ['life', undefined, 'passed']);
  assert.deepEqual(at(950), ['life', 'open', undefined]);
});

test('the table has the marks of the lanes, in order of time', () => {
  const order = rowsInOrder(AXIS);
  assert.equal(new Set(order.map(({ mark }) => mark)).size, AXIS.marks.length);
  const starts = order.map(({ mark }) => AXIS.marks[mark ?? -1]?.startMs ?? 0);
  assert.deepEqual(
    starts,
    starts.toSorted((a, b) => a - b),
  );
});

test('a mark is described by lane, state, time and message', () => {
  const id = (from: string) => AXIS.marks.findIndex((_, index) => nameOf(index) === from);
  assert.equal(
    describeMark(AXIS, id('failure 500'), 1000),
    'alive, failed, +0.500 s to +0.900 s, 400 ms: said',
  );
  assert.equal(
    describeMark(AXIS, id('open 400'), 1000),
    'pod web, not reverted, since +0.400 s, 600 ms: said',
  );
  assert.equal(describeMark(AXIS, id('step 10'), 1000), 'operator, step, +0.010 s: said');
});

test('windows: what is under the pointer stays, nothing leaves the run', () => {
  assert.deepEqual(zoomed({ fromMs: 0, toMs: 100 }, 0.5, 50, fitted(1000)), { fromMs: 25, toMs: 75 });
  assert.deepEqual(zoomed({ fromMs: 0, toMs: 100 }, 100, 50, fitted(1000)), fitted(1000));
  assert.deepEqual(zoomed({ fromMs: 10, toMs: 12 }, 0.1, 10, fitted(1000)), { fromMs: 10, toMs: 12 });
  assert.deepEqual(panned({ fromMs: 0, toMs: 100 }, -500, fitted(1000)), { fromMs: -20, toMs: 80 });
  assert.deepEqual(panned({ fromMs: 0, toMs: 100 }, 5000, fitted(1000)), { fromMs: 920, toMs: 1020 });
  assert.deepEqual(revealing({ fromMs: 0, toMs: 100 }, 500, fitted(1000)), { fromMs: 450, toMs: 550 });
  assert.deepEqual(revealing({ fromMs: 0, toMs: 100 }, 50, fitted(1000)), { fromMs: 0, toMs: 100 });
});

test('a window that was fitted into the run is not changed by fitting it again', () => {
  const number = fc.double({ min: -1e7, max: 1e7, noNaN: true });
  fc.assert(
    fc.property(number, fc.double({ min: 0, max: 1e7, noNaN: true }), (fromMs, length) => {
      const once = kept({ fromMs, toMs: fromMs + length }, fitted(60_000));
      const again = kept(once, fitted(60_000));
      assert.ok(Math.abs(again.fromMs - once.fromMs) < 1e-3 && Math.abs(again.toMs - once.toMs) < 1e-3);
      assert.ok(once.toMs > once.fromMs);
    }),
  );
});

const TICKS: readonly [fromMs: number, toMs: number, labels: string[]][] = [
  [0, 1, ['0', '1 ms']],
  [0, 900, ['0', '100 ms', '200 ms', '300 ms', '400 ms', '500 ms', '600 ms', '700 ms', '800 ms', '900 ms']],
  [0, 2400, ['0', '500 ms', '1.0 s', '1.5 s', '2.0 s']],
  [0, 31_000, ['0', '5 s', '10 s', '15 s', '20 s', '25 s', '30 s']],
  [0, 200_000, ['0', '30 s', '1:00', '1:30', '2:00', '2:30', '3:00']],
  [0, 7_300_000, ['0', '15:00', '30:00', '45:00', '1:00:00', '1:15:00', '1:30:00', '1:45:00', '2:00:00']],
  [-100, 1900, ['0', '500 ms', '1.0 s', '1.5 s']],
  [61_000, 61_030, ['1:01.000', '1:01.005', '1:01.010', '1:01.015', '1:01.020', '1:01.025', '1:01.030']],
];
for (const [fromMs, toMs, labels] of TICKS) {
  test(`ticks from ${fromMs} to ${toMs} ms`, () =>
    assert.deepEqual(
      axisTicks({ fromMs, toMs }).map(({ label }) => label),
      labels,
    ));
}

test('every kind has a number of its own', () => {
  assert.deepEqual(
    KINDS.map((_, number) => kindOf(number)),
    [...KINDS],
  );
});

const NAMES: readonly [name: string, parts: readonly [string, string, string]][] = [
  ['pod shop/web-54b5f54b77-bszkc', ['pod shop/web-54b5f54b7', '7-bszkc', '']],
  ['pod shop/web-54b5f54b77-bszkc, pod-delete', ['pod shop/web-54b5f54b7', '7-bszkc', ', pod-delete']],
  ['slo (EOT), pod-network-latency', ['slo (EOT)', '', ', pod-network-latency']],
  ['web', ['', 'web', '']],
  ['', ['', '', '']],
];
for (const [name, parts] of NAMES) {
  test(`what of the name of a lane stays where there is little room: ${name || 'none'}`, () => {
    assert.deepEqual(nameParts(name), parts);
  });
}
