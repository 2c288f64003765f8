import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileSettings, tunablesOf } from '../experiment/injection/settings/compile-settings.ts';
import { describeForm } from '../experiment/injection/settings/describe-tunable.ts';
import { parseTunables } from '../experiment/injection/settings/parse-tunables.ts';
import type { Tunable } from '../experiment/injection/tunables.ts';
import { countSteps } from '../experiment/plan/plan-experiment.ts';
import { faultRegistry } from './index.ts';

const NUMERIC = ['integer', 'number', 'percentage', 'duration'];

/** Every numeric setting of every fault, the common ones included. */
const SETTINGS = (
  await Promise.all(
    [...faultRegistry].map(async ([name, load]) => {
      const fault = await load();
      return Object.entries(tunablesOf(fault))
        .filter(([, tunable]) => NUMERIC.includes(tunable.type))
        .map(([variable, tunable]) => ({ name, fault, variable, tunable }));
    }),
  )
).flat();

/** Lowest and highest value that a setting takes, in the unit in which it is read. */
function boundsOf(tunable: Tunable): readonly [low: number, high: number] {
  if (tunable.type === 'duration') return [tunable.minimumMs ?? 0, tunable.maximumMs];
  if (tunable.type === 'percentage') return [tunable.minimum ?? 0, tunable.maximum ?? 100];
  if (tunable.type === 'integer' || tunable.type === 'number') return [tunable.minimum, tunable.maximum];
  throw new Error(`${tunable.type} is no number`);
}

/** Texts that a user may write by mistake or on purpose: huge, negative, with fractions and exponents, and no numbers at all. */
const HOSTILE = fc.oneof(
  fc.constantFrom(
    ...['99999999999999999999', '9007199254740993', '1e9', '1e308', '1e999', '-1', '-0', '1.5', '.5', '5.'],
    ...[
      'NaN',
      'nan',
      'Infinity',
      '-Infinity',
      'inf',
      '0x10',
      '0b11',
      '1_000',
      '١٢',
      '1,000',
      '+',
      '-',
      'null',
    ],
    ...[
      '1e',
      '--1',
      '1-',
      '5-99999999999999999999',
      '0-0',
      '1-1e9',
      '9'.repeat(400),
      '1h1h',
      '99999999h',
      '1d',
    ],
  ),
  fc.integer().map(String),
  fc.bigInt().map(String),
  fc.double().map(String),
  fc
    .tuple(fc.double({ noNaN: true }), fc.constantFrom('', '%', 's', 'ms', 'h'))
    .map((parts) => parts.join('')),
  fc.tuple(fc.maxSafeNat(), fc.maxSafeNat()).map((ends) => ends.join('-')),
);

test('every number that a setting takes has two ends, and says both', () => {
  assert.ok(SETTINGS.length > 100, `${SETTINGS.length} settings`);
  for (const { name, variable, tunable } of SETTINGS) {
    const [low, high] = boundsOf(tunable);
    assert.ok(Number.isSafeInteger(Math.trunc(low)) && Number.isSafeInteger(Math.trunc(high)), variable);
    assert.ok(low <= high, `${name}: ${variable}`);
    assert.match(describeForm(tunable), /from \S+ to \S+/, `${name}: ${variable}`);
    if (tunable.default === undefined) continue;
    const given = Number(tunable.default);
    assert.ok(given >= low && given <= high, `${name}: the default of ${variable} is ${given}`);
  }
});

test('a number beyond its ends, or that is none, is refused with its name and what would be taken', () => {
  fc.assert(
    fc.property(fc.constantFrom(...SETTINGS), HOSTILE, ({ fault, variable, tunable }, text) => {
      const { values, problems } = parseTunables({ [variable]: tunable }, { [variable]: text });
      const [problem] = problems;
      if (problem !== undefined) {
        assert.deepEqual(problem, { variable, found: text.trim(), expected: describeForm(tunable) });
        const compiled = compileSettings(fault, { [variable]: text }, Math.random).problems;
        assert.ok(compiled.some((one) => one.variable === variable));
        return;
      }
      const [low, high] = boundsOf(tunable);
      const value = Number(values[variable]);
      assert.ok(value >= low && value <= high, `${variable}=${text} became ${value}`);
    }),
    { numRuns: 5_000 },
  );
});

test('one more than the highest number is refused, the highest is not', () => {
  for (const { variable, tunable } of SETTINGS) {
    const high = boundsOf(tunable)[1];
    const problemsOf = (value: number) =>
      parseTunables(
        { [variable]: tunable },
        { [variable]: tunable.type === 'duration' ? `${value}ms` : `${value}` },
      ).problems.length;
    assert.deepEqual([problemsOf(high), problemsOf(high + 1)], [0, 1], variable);
  }
});

test('rounds are counted, not gone through: also those of a duration that no setting takes', () => {
  const rounds = (durationMs: number, intervalMs: number): number =>
    countSteps({ durationMs, interval: { lowMs: intervalMs, highMs: intervalMs } });
  assert.equal(rounds(1e20, 10_000), 1e16);
  assert.equal(rounds(604_800_000, 0), 6_048_000);
});
