import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MIN_STEP_MS, nextStep, stepsOf } from './rounds.ts';

test('when the next step is due', async (t) => {
  const cases: [string, Parameters<typeof nextStep>[0], ReturnType<typeof nextStep>][] = [
    [
      'one interval later',
      { endsAt: 15_000, previousDueAt: 0, waitMs: 5_000, now: 40 },
      { kind: 'step', dueAt: 5_000 },
    ],
    [
      'small delays do not add up',
      { endsAt: 15_000, previousDueAt: 5_000, waitMs: 5_000, now: 9_990 },
      { kind: 'step', dueAt: 10_000 },
    ],
    [
      'at once after a long recovery',
      { endsAt: 15_000, previousDueAt: 0, waitMs: 5_000, now: 7_300 },
      { kind: 'step', dueAt: 7_300 },
    ],
    [
      'never at the end',
      { endsAt: 15_000, previousDueAt: 10_000, waitMs: 5_000, now: 10_050 },
      { kind: 'end', endsAt: 15_000 },
    ],
    [
      'never after the end',
      { endsAt: 15_000, previousDueAt: 10_000, waitMs: 1_000, now: 17_000 },
      { kind: 'end', endsAt: 15_000 },
    ],
    [
      'no storm with interval 0',
      { endsAt: 15_000, previousDueAt: 1_000, waitMs: 0, now: 1_001 },
      { kind: 'step', dueAt: 1_000 + MIN_STEP_MS },
    ],
  ];
  for (const [name, clock, expected] of cases) {
    await t.test(name, () => assert.deepEqual(nextStep(clock), expected));
  }
});

test('steps never begin at or after the end, and never before the one before', () => {
  const delays = fc.array(fc.nat(20_000), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60_000 }),
      fc.nat(20_000),
      delays,
      (durationMs, waitMs, recoveries) => {
        let dueAt = 0;
        for (const recoveryMs of recoveries) {
          const next = nextStep({
            endsAt: durationMs,
            previousDueAt: dueAt,
            waitMs,
            now: dueAt + recoveryMs,
          });
          if (next.kind === 'end') return;
          assert.ok(next.dueAt < durationMs);
          assert.ok(next.dueAt >= dueAt + Math.max(waitMs, MIN_STEP_MS));
          dueAt = next.dueAt;
        }
      },
    ),
  );
});

test('with recoveries quicker than the interval there are duration / interval steps, rounded up', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 1, max: 60 }),
      fc.nat(999),
      (duration, interval, recoveryMs) => {
        let steps = 1;
        for (let dueAt = 0; ; steps++) {
          const next = nextStep({
            endsAt: duration * 1000,
            previousDueAt: dueAt,
            waitMs: interval * 1000,
            now: dueAt + recoveryMs,
          });
          if (next.kind === 'end') break;
          dueAt = next.dueAt;
        }
        assert.equal(steps, Math.ceil(duration / interval));
      },
    ),
  );
});

test('serial takes one target per step, parallel all at once', () => {
  assert.deepEqual(stepsOf([1, 2, 3], 'serial'), [[1], [2], [3]]);
  assert.deepEqual(stepsOf([1, 2, 3], 'parallel'), [[1, 2, 3]]);
});
