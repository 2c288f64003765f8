import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomOf } from '../testing/builders.ts';
import type { Tunable } from '../tunables.ts';
import { describeTunableProblem, parseTunables } from './parse-tunables.ts';

const seconds = { type: 'integer', default: 30, minimum: 1, unit: 'seconds', description: '' } as const;
const percent = {
  type: 'integer',
  default: 0,
  minimum: 0,
  maximum: 100,
  range: true,
  unit: 'percent',
  description: '',
} as const;
const ratio = { type: 'number', default: 0.5, description: '' } as const;
const flag = { type: 'boolean', default: true, description: '' } as const;
const sequence = {
  type: 'choice',
  choices: ['serial', 'parallel'],
  default: 'parallel',
  description: '',
} as const;
const word = { type: 'text', default: 'x', pattern: '^[a-z]+$', description: '' } as const;
const names = { type: 'list', default: [], description: '' } as const;

test('values of every type, and the default for what is absent or empty', async (t) => {
  const cases: [string, Tunable, string | undefined, unknown][] = [
    ['integer', seconds, '15', 15],
    ['integer with spaces', seconds, ' 15 ', 15],
    ['absent', seconds, undefined, 30],
    ['empty', seconds, '', 30],
    ['blank', seconds, '  ', 30],
    ['number', ratio, '2.5', 2.5],
    ['number with exponent', ratio, '1e3', 1000],
    ['range, one integer of it', percent, '20-40', 30],
    ['range of one', percent, '40-40', 40],
    ['no range', percent, '40', 40],
    ['true as Go reads it', flag, 'T', true],
    ['false as Go reads it', flag, 'False', false],
    ['zero is false', flag, '0', false],
    ['choice in any case', sequence, 'SERIAL', 'serial'],
    ['text', word, 'abc', 'abc'],
    ['list, trimmed, empty items left out', names, ' a, b ,,c', ['a', 'b', 'c']],
  ];
  for (const [name, tunable, text, expected] of cases) {
    await t.test(name, () => {
      const { values, problems } = parseTunables({ X: tunable }, { X: text }, randomOf(0.5));
      assert.deepEqual([values.X, problems], [expected, []]);
    });
  }
});

test('what cannot be read is a problem that says what is expected', async (t) => {
  const cases: [string, Tunable, string, string][] = [
    ['word for number', seconds, 'ten', 'a whole number of seconds from 1'],
    ['fraction', seconds, '1.5', 'a whole number of seconds from 1'],
    ['too small', seconds, '0', 'a whole number of seconds from 1'],
    ['too large', percent, '101', 'a whole number of percent from 0 to 100 or a range low-high'],
    [
      'range the wrong way round',
      percent,
      '40-20',
      'a whole number of percent from 0 to 100 or a range low-high',
    ],
    [
      'range with an end out of bounds',
      percent,
      '40-120',
      'a whole number of percent from 0 to 100 or a range low-high',
    ],
    ['two dashes', percent, '1-2-3', 'a whole number of percent from 0 to 100 or a range low-high'],
    ['range where none is taken', seconds, '5-10', 'a whole number of seconds from 1'],
    ['hexadecimal', ratio, '0x10', 'a number'],
    ['infinity', ratio, '1e999', 'a number'],
    ['neither true nor false', flag, 'yes', 'true or false'],
    ['no choice', sequence, 'both', 'one of serial, parallel'],
    ['text that does not match', word, 'A1', 'text that matches ^[a-z]+$'],
  ];
  for (const [name, tunable, text, expected] of cases) {
    await t.test(name, () => {
      const { values, problems } = parseTunables({ X: tunable }, { X: text });
      assert.deepEqual(problems, [{ variable: 'X', found: text, expected }]);
      assert.deepEqual(values.X, tunable.default);
    });
  }
});

test('all problems come at once, each as a sentence', () => {
  const { problems } = parseTunables({ A: seconds, B: flag, C: names }, { A: 'x', B: 'y', C: 'z' });
  assert.deepEqual(problems.map(describeTunableProblem), [
    'A is "x"; expected a whole number of seconds from 1',
    'B is "y"; expected true or false',
  ]);
});

test('a range gives every integer of it and no other', () => {
  fc.assert(
    fc.property(
      fc.nat(100),
      fc.nat(100),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (a, b, r) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const { values } = parseTunables({ X: percent }, { X: `${low}-${high}` }, () => r);
        assert.ok(Number.isInteger(values.X) && values.X >= low && values.X <= high);
      },
    ),
  );
});
