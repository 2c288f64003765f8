import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type HaltOfInfra, shownHalt } from './halt-words.ts';

const halt = (rest: Partial<HaltOfInfra>): HaltOfInfra => ({
  ...{ infraName: 'staging', isHalted: true, reason: 'too many errors', by: { username: 'mira' } },
  ...{ at: '2000', state: 'DONE', message: '', left: [], ...rest },
});

test('without a halt nothing is shown', () => {
  assert.equal(shownHalt([]), undefined);
  assert.equal(shownHalt([halt({ isHalted: false })]), undefined);
});

test('the first halt says who, when and why', () => {
  const shown = shownHalt([halt({ by: { username: 'later' }, at: '3000' }), halt({})]);
  assert.deepEqual(shown, { by: 'mira', reason: 'too many errors', sinceMs: 2000, notes: [] });
});

const NOTES: readonly [rest: Partial<HaltOfInfra>, note: string][] = [
  [{ state: 'WAITING' }, 'staging: its agent has not told yet'],
  [{ state: 'LEFT', left: ['pod a', 'pod b'] }, 'staging: still in force: pod a, pod b'],
  [{ state: 'WITHOUT_LEVER' }, 'staging: its agent has no lever; its runs were stopped'],
  [{ state: 'REFUSED', message: 'may not' }, 'staging: not halted: may not'],
];
for (const [rest, note] of NOTES) {
  test(`a halt that is ${rest.state}`, () => assert.deepEqual(shownHalt([halt(rest)])?.notes, [note]));
}
