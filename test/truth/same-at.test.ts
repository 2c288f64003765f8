import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from './run-row.ts';
import { agreementOf } from './same-at.ts';

function runsOf(name: string, ...verdicts: readonly string[]): Outcome[] {
  // Only what the comparison reads.
  return verdicts.map((verdict) => ({
    row: { name },
    verdict,
    judgement: verdict === 'Error' ? 'busy' : 'right',
  })) as unknown as Outcome[];
}

test('runs agree when all that have a verdict have the same one', () => {
  const agreed = agreementOf(runsOf('a', 'Pass', 'Pass'), runsOf('a', 'Pass', 'Error'), 0, 30);
  assert.equal(agreed.differs, false);
  assert.equal(agreed.text, 'same  a: load 0: Pass 2 of 2; load 30: Pass 1 of 2, busy 1');
  const different = agreementOf(
    [...runsOf('a', 'Pass'), ...runsOf('b', 'Fail')],
    [...runsOf('a', 'Fail'), ...runsOf('b', 'Fail')],
    0,
    30,
  );
  assert.equal(different.differs, true);
  assert.match(different.text, /^DIFFERENT {2}a: .*\nsame {2}b: /);
});
