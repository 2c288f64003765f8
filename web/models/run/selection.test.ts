import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisOf, type LaneRecord } from '../timeline/axis.ts';
import { lanesOfStep, stepsAt, targetOf, withSelection } from './selection.ts';

const START = 1_000_000;
const lane = (
  group: string,
  name: string,
  ...spans: readonly (readonly [from: number, to: number])[]
): LaneRecord => ({
  ...{ group, name, marks: [] },
  bars: spans.map(([from, to]) => ({ kind: 'life', fromMs: START + from, toMs: START + to, label: '' })),
});
const step = (name: string, from: number | undefined, to: number | undefined, experiment?: string) => ({
  id: `${name} ${from}`,
  name,
  startMs: from === undefined ? undefined : START + from,
  endMs: to === undefined ? undefined : START + to,
  engine: experiment === undefined ? undefined : { experiment },
});

const steps = [
  step('install', 0, 4000),
  step('attack', 5000, 30_000, 'pod-delete'),
  step('slow', 5000, 30_000, 'net-latency'),
  step('attack', 40_000, undefined, 'pod-delete'),
  step('clean\u202e up', undefined, undefined),
];
const axis = axisOf({
  startMs: START,
  endMs: START + 60_000,
  lanes: [
    lane('Steps', 'install', [0, 4000]),
    lane('Steps', 'attack', [5000, 30_000]),
    lane('Steps', 'slow', [5000, 30_000]),
    lane('Steps', 'attack', [40_000, 60_000]),
    lane('Probes', 'alive (Continuous), net-latency', [5000, 30_000]),
    lane('Targets', 'pod web-1', [6000, 20_000], [4500, 4600]),
  ],
});

const run = { axis, steps };
const NONE = { mark: undefined, step: undefined };

const MARKS: readonly [name: string, mark: number, step: number | undefined][] = [
  ['the bar of a step', 0, 0],
  ['the second step of a name', 3, 3],
  ['a probe whose lane names the experiment', 4, 2],
  ['a target that names nothing: the first step of its time', 5, 1],
  ['a moment just before a step of whole seconds', 6, 1],
  ['no mark', 99, undefined],
];
for (const [name, mark, wanted] of MARKS) {
  test(`the step of a mark: ${name}`, () =>
    assert.deepEqual(withSelection({ mark }, NONE, run), { mark, step: wanted }));
}

const STEPS: readonly [name: string, step: number, mark: number | undefined][] = [
  ['the first', 0, 0],
  ['the first of two of a name', 1, 1],
  ['the second of them', 3, 3],
  ['one that has not begun', 4, undefined],
  ['none', 9, undefined],
];
for (const [name, index, wanted] of STEPS) {
  test(`the mark of a step: ${name}`, () =>
    assert.deepEqual(withSelection({ step: index }, NONE, run), { step: index, mark: wanted }));
}

const UNTOUCHED: readonly [
  name: string,
  changes: object,
  before: typeof NONE | { mark: number; step: number },
][] = [
  ['a zoom', { t: undefined }, NONE],
  ['both at once', { mark: 1, step: 0 }, NONE],
  ['the mark that was selected already, beside a zoom', { mark: 1, t: undefined }, { mark: 1, step: 0 }],
  ['no mark any more', { mark: undefined }, { mark: 1, step: 1 }],
];
for (const [name, changes, before] of UNTOUCHED) {
  test(`the selection of mark and step adds nothing to ${name}`, () =>
    assert.deepEqual(withSelection(changes, before, run), changes));
}

test('a run without steps has marks only', () => {
  assert.deepEqual(withSelection({ mark: 1 }, NONE, { axis, steps: [] }), { mark: 1 });
});

test('the lane of targets that a mark is in', () => {
  assert.deepEqual(
    [5, 4, 99, undefined].map((mark) => targetOf(axis, mark)),
    ['pod web-1', undefined, undefined, undefined],
  );
});

const LANES: readonly [name: string, step: number, lanes: readonly number[]][] = [
  ['its own', 0, [0]],
  ['its own, and what was hit in its time', 1, [1, 5]],
  ['its own, and the probe that names it', 2, [2, 4]],
  ['the second step of a name has the second lane', 3, [3]],
  ['none of what has not begun', 4, []],
  ['none of no step', 9, []],
];
for (const [name, index, wanted] of LANES) {
  test(`the lanes of a step: ${name}`, () => assert.deepEqual([...lanesOfStep(run, index)], wanted));
}

test('a label says whose a mark is where its lane does not', () => {
  const bar = {
    kind: 'injected' as const,
    fromMs: START + 6000,
    toMs: START + 9000,
    label: 'net-latency: hit',
  };
  const lanes = [{ group: 'Targets', name: 'pod web-1', bars: [bar], marks: [] }];
  const ofOneLane = { steps, axis: axisOf({ startMs: START, endMs: START + 60_000, lanes }) };
  assert.deepEqual([...stepsAt(ofOneLane, { mark: 0, lane: 0 })], [2]);
});

test('the steps of a place: those of its mark, else of all marks of its lane', () => {
  const at = (mark: number | undefined, lane: number | undefined) => [...stepsAt(run, { mark, lane })];
  assert.deepEqual(at(3, 3), [3]);
  assert.deepEqual(at(undefined, 4), [2]);
  assert.deepEqual(at(undefined, 5), [1]);
  assert.deepEqual(at(undefined, undefined), []);
  assert.deepEqual([...stepsAt({ axis, steps: [] }, { mark: 1, lane: 1 })], []);
});

test('a lane whose marks belong to no step selects no step', () => {
  const before = { ...run, steps: [step('later', 50_000, 60_000)] };
  assert.deepEqual([...stepsAt(before, { mark: undefined, lane: 0 })], []);
});
