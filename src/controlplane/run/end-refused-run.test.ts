import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalOf } from './end-refused-run.ts';

test('of the words of an agent as many are kept as a list can carry, and never none', () => {
  assert.equal(refusalOf(' no rights \n'), 'no rights');
  assert.match(refusalOf(' \n'), /^its agent could not begin it, and gave no reason/);
  assert.equal(refusalOf('x'.repeat(2_000)), 'x'.repeat(2_000));
  assert.equal(refusalOf('x'.repeat(2_001)), `${'x'.repeat(1_999)}…`);
  // A database takes no half of a character.
  assert.equal(refusalOf(`${'x'.repeat(1_998)}🌻🌻`), `${'x'.repeat(1_998)}…`);
});
