import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisOf, type LaneRecord } from '../timeline/axis.ts';
import type { Kind } from '../timeline/kinds.ts';
import { revertingOf } from './reverting.ts';

const END = 30_000;
const target = (name: string, kind: Kind, fromMs: number, toMs: number): LaneRecord => ({
  ...{ group: 'Targets', name, marks: [] },
  bars: [{ kind, fromMs, toMs, label: '' }],
});
const stopped: LaneRecord = {
  ...{ group: 'Experiments', name: 'pod-delete', bars: [] },
  marks: [{ kind: 'step', atMs: 20_000, label: 'Aborted: aborted: engineState is stop' }],
};
const early = target('pod early', 'injected', 1000, 5000);
const back = target('pod web-1', 'injected', 10_000, 21_500);
const still = target('pod web-2', 'open', 12_000, END);
const killed: LaneRecord = {
  ...{ group: 'Targets', name: 'pod gone', bars: [] },
  marks: [{ kind: 'injected', atMs: 11_000, label: '' }],
};

const STOPS: readonly [
  name: string,
  lanes: readonly LaneRecord[],
  isOver: boolean,
  rows: string[],
  sentence: string,
][] = [
  [
    'just asked for: what is in force',
    [early, still],
    false,
    ['pod web-2 in force since +12.000 s'],
    'Reverting: 0 of 1 reverted.',
  ],
  [
    'one is back, one is not',
    [stopped, early, back, still],
    false,
    ['pod web-1 reverted at +21.500 s', 'pod web-2 in force since +12.000 s'],
    'Reverting: 1 of 2 reverted.',
  ],
  [
    'all are back',
    [stopped, early, back],
    false,
    ['pod web-1 reverted at +21.500 s'],
    'All 1 are reverted; the run is ending.',
  ],
  [
    'over',
    [stopped, early, back, killed],
    true,
    ['pod web-1 reverted at +21.500 s'],
    'The run was stopped 20 s after the start; everything is normal again: 1 of 1 reverted within 1.5 s.',
  ],
  [
    'over, and something stays',
    [stopped, back, still],
    true,
    ['pod web-1 reverted at +21.500 s', 'pod web-2 not reverted since +12.000 s'],
    'The run was stopped 20 s after the start, and 1 of 2 are not reverted. Halt, in the bar above, reverts them.',
  ],
  [
    'with nothing in force',
    [stopped, killed],
    true,
    [],
    'The run was stopped 20 s after the start with nothing in force.',
  ],
  ['before anything is known', [], false, [], 'The run is being stopped; no fault is known to be in force.'],
];
for (const [name, lanes, isOver, rows, sentence] of STOPS) {
  test(`a run that is stopped: ${name}`, () => {
    const axis = axisOf({ startMs: 0, endMs: END, lanes });
    const reverting = revertingOf({ axis, isOver });
    assert.deepEqual(
      reverting.rows.map((row) => `${row.name} ${row.state} ${row.when}`),
      rows,
    );
    assert.equal(reverting.sentence, sentence);
    for (const { mark, name: lane } of reverting.rows)
      assert.equal(axis.lanes[axis.marks[mark]?.lane ?? -1]?.name, lane);
  });
}

test('while the time of the stop is not known, what was in force when the page saw it stays named', () => {
  const axis = axisOf({ startMs: 0, endMs: END, lanes: [early, back] });
  const namesSeenAt = (seenMs: number): string[] =>
    revertingOf({ axis, isOver: false, seenMs }).rows.map(({ name }) => name);
  assert.deepEqual(namesSeenAt(21_000), ['pod web-1']);
  assert.deepEqual(namesSeenAt(22_000), []);
});

test('a run without exact times names no time of a revert', () => {
  const axis = axisOf({
    isExact: false,
    startMs: 0,
    endMs: END,
    lanes: [target('pod a', 'injected', 0, END)],
  });
  assert.deepEqual(revertingOf({ axis, isOver: true }), {
    sentence: 'The run was stopped; everything is normal again: 1 of 1 reverted.',
    rows: [{ name: 'pod a', state: 'reverted', when: '', mark: 0 }],
  });
});
