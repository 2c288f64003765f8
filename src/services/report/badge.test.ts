import assert from 'node:assert/strict';
import { test } from 'node:test';
import { badgeOf } from './badge.ts';
import { RUN_STATES, type RunState } from './outcome/run-states.ts';

for (const [state, { label }] of Object.entries(RUN_STATES)) {
  test(`the badge of a run says ${label}`, () => {
    const svg = badgeOf(state as RunState);
    assert.match(svg, new RegExp(`<title>chaos: ${label}</title>`));
    assert.match(svg, new RegExp(`textLength="\\d+">${label}</text>`));
  });
}

test('only what was checked and passed is green', () => {
  const green = Object.keys(RUN_STATES).filter((state) => badgeOf(state as RunState).includes('#1a7f37'));
  assert.deepEqual(green, ['passed']);
});
