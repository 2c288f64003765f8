import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstView, READABLE, stepToSee } from './first-view.ts';

const GRID = { column: 230, row: 60, width: 180, height: 44 };
const SEEN = { width: 1000, height: 400 };

/** Nodes `0`, `1`, … in a line. */
const line = (count: number) => ({
  places: new Map(Array.from({ length: count }, (_, at) => [String(at), { column: at, row: 0 }])),
});

test('a small graph is in the middle, as it is', () => {
  const { x, zoom } = firstView(line(3), SEEN, undefined, GRID);
  assert.equal(zoom, 1);
  assert.equal(x, (1000 - 640) / 2);
});

test('a graph that hardly fits is drawn smaller, as far as it can be read', () => {
  const { zoom } = firstView(line(5), SEEN, undefined, GRID);
  assert.ok(zoom < 1 && zoom >= READABLE, String(zoom));
});

const LONG: readonly (readonly [around: string | undefined, seen: string])[] = [
  [undefined, 'its start'],
  ['0', 'its start'],
  ['15', 'the node'],
  ['29', 'its end'],
];
for (const [around, seen] of LONG) {
  test(`of a long graph around ${around ?? 'nothing'}, ${seen} is seen`, () => {
    const { x, zoom } = firstView(line(30), SEEN, around, GRID);
    assert.equal(zoom, READABLE);
    const left = Number(around ?? 0) * GRID.column * zoom + x;
    assert.ok(left >= 0 && left + GRID.width * zoom <= SEEN.width, String(left));
    if (seen === 'its start') assert.equal(x, 20);
    if (seen === 'its end') assert.equal(x + (29 * GRID.column + GRID.width) * zoom, SEEN.width - 20);
  });
}

test('what failed is looked at first, then what is at work, then chaos', () => {
  const step = (id: string, phase: string, engine?: object) => ({ id, phase, type: 'Pod', engine });
  const [first, chaos, busy, broken] = [
    step('first', 'Succeeded'),
    step('chaos', 'Completed', {}),
    step('busy', 'Running'),
    step('broken', 'Failed'),
  ];
  const whole = { ...step('whole', 'Failed'), type: 'Steps' };
  assert.equal(stepToSee([whole, first, chaos, busy, broken]), 'broken');
  assert.equal(stepToSee([first, chaos, busy]), 'busy');
  assert.equal(stepToSee([first, chaos]), 'chaos');
  assert.equal(stepToSee([first]), undefined);
});
