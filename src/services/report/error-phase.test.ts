import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorPhaseOf } from './error-phase.ts';

const before = { errorCode: 'STATUS_CHECKS_ERROR', phase: 'PreChaos', reason: 'no pod' };
const after = { ...before, phase: 'PostChaos' };

const TABLE: readonly [reason: unknown, phase: string | undefined][] = [
  [before, 'PreChaos'],
  [[before, before], 'PreChaos'],
  [[before, after], undefined],
  [[before, {}], undefined],
  [[], undefined],
  [{ ...before, phase: '' }, undefined],
  [{ ...before, phase: 7 }, undefined],
  [null, undefined],
];

test('when an error happened', () => {
  for (const [reason, phase] of TABLE) assert.equal(errorPhaseOf(JSON.stringify(reason)), phase);
  assert.equal(errorPhaseOf('no JSON'), undefined);
});
