import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OverTimeError, runWithin, unlessBusy } from './watchdog.ts';

for (const [name, cpuMsPerTry, tries] of [
  ['a machine that gives no processor time is waited for', 10, 6],
  ['what uses its processor time up is ended', 200, 2],
] as const) {
  test(name, () => {
    let cpuMs = 1_000;
    let count = 0;
    const attempt = (): string => {
      cpuMs += cpuMsPerTry;
      count += 1;
      if (count < 6) throw new OverTimeError('too long');
      return 'done';
    };
    const run = (): string => unlessBusy(attempt, () => cpuMs, 250);
    if (tries === 6) assert.equal(run(), 'done');
    else assert.throws(run, OverTimeError);
    assert.equal(count, tries);
  });
}

test('what does not end is ended', () => {
  assert.throws(() => runWithin(20, () => /^(a+)+$/.test(`${'a'.repeat(60)}!`)), OverTimeError);
  assert.equal(
    runWithin(1_000, () => 'done'),
    'done',
  );
});
