import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomOf } from '../testing/builders.ts';
import type { Tunable } from '../tunables.ts';
import { formatDuration, parseDuration } from './duration.ts';
import { describeTunableProblem, formatTunable, parseTunables } from './parse-tunables.ts';

const seconds = {
  type: 'integer',
  default: 30,
  minimum: 1,
  maximum: 600,
  unit: 'seconds',
  description: '',
} as const;
const percent = {
  type: 'integer',
  default: 0,
  minimum: 0,
  maximum: 100,
  range: true,
  unit: 'percent',
  description: '',
} as const;
const ratio = { type: 'number', default: 0.5, minimum: 0, maximum: 2000, description: '' } as const;
const flag = { type: 'boolean', default: true, description: '' } as const;
const sequence = {
  type: 'choice',
  choices: ['serial', 'parallel'],
  default: 'parallel',
  description: '',
} as const;
const word = { type: 'text', default: 'x', pattern: '^[a-z]+$', description: '' } as const;
const names = { type: 'list', default: [], description: '' } as const;
const ports = { type: 'list', default: [], pattern: '\\d+', form: 'a port', description: '' } as const;
const share = { type: 'percentage', default: undefined, range: true, description: '' } as const;
const exact = { type: 'percentage', default: 10, maximum: 50, description: '' } as const;
const latency = {
  type: 'duration',
  unit: 'milliseconds',
  default: 2000,
  maximumMs: 60_000,
  description: '',
} as const;
const timeout = {
  type: 'duration',
  unit: 'seconds',
  default: 1000,
  minimumMs: 1000,
  maximumMs: 90_000,
  description: '',
} as const;
const headers = { type: 'map', default: {}, description: '' } as const;
const needed = { type: 'text', default: '', required: true, form: 'a host name', description: '' } as const;

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
    ['list of a form', ports, '80, 443', ['80', '443']],
    ['percentage', share, '40', 40],
    ['percentage with its sign', share, '40 %', 40],
    ['percentage, one of a range', share, '20-40%', 30],
    ['percentage that is not set', share, '', undefined],
    ['percentage with a fraction, where no range is taken', exact, '0.5%', 0.5],
    ['duration in its plain unit', latency, '250', 250],
    ['duration in plain seconds', timeout, '1.5', 1500],
    ['duration with units', timeout, '1m30s', 90_000],
    ['duration in milliseconds', timeout, '1200ms', 1200],
    ['map as JSON', headers, '{"X-A": "1, 2"}', { 'X-A': '1, 2' }],
    ['map as pairs', headers, 'a:1, b: http://x:80', { a: '1', b: 'http://x:80' }],
    ['required and set', needed, 'x', 'x'],
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
    ['word for number', seconds, 'ten', 'a whole number of seconds from 1 to 600'],
    ['fraction', seconds, '1.5', 'a whole number of seconds from 1 to 600'],
    ['too small', seconds, '0', 'a whole number of seconds from 1 to 600'],
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
    ['range where none is taken', seconds, '5-10', 'a whole number of seconds from 1 to 600'],
    ['hexadecimal', ratio, '0x10', 'a number from 0 to 2000'],
    ['infinity', ratio, '1e999', 'a number from 0 to 2000'],
    ['neither true nor false', flag, 'yes', 'true or false'],
    ['no choice', sequence, 'both', 'one of serial, parallel'],
    ['text that does not match', word, 'A1', 'text that matches ^[a-z]+$'],
    ['item that does not match', ports, '80,http', 'a list separated by commas, each a port'],
    ['percentage out of bounds', share, '101%', 'a percentage from 0 to 100 or a range low-high'],
    ['percentage over its own bound', exact, '51', 'a percentage from 0 to 50'],
    [
      'duration without a number',
      latency,
      'long',
      'a time such as 250ms, or a number of milliseconds, from 0ms to 1m',
    ],
    ['negative duration', latency, '-5', 'a time such as 250ms, or a number of milliseconds, from 0ms to 1m'],
    ['duration out of bounds', timeout, '2m', 'a time such as 10s, or a number of seconds, from 1s to 1m30s'],
    ['map that is no JSON', headers, '{a}', 'a JSON object of texts, or key:value separated by commas'],
    ['map of other things', headers, '{"a": 1}', 'a JSON object of texts, or key:value separated by commas'],
    ['map without values', headers, 'a', 'a JSON object of texts, or key:value separated by commas'],
    ['required and empty', needed, '', 'a host name'],
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
  const { problems } = parseTunables(
    { A: seconds, B: flag, C: names, D: needed },
    { A: 'x', B: 'y', C: 'z' },
  );
  assert.deepEqual(problems.map(describeTunableProblem), [
    'A is "x"; expected a whole number of seconds from 1 to 600',
    'B is "y"; expected true or false',
    'D is not set; expected a host name',
  ]);
});

test('a value that is written as text is read again as the same value', () => {
  const cases: [Tunable, string][] = [
    [seconds, '15'],
    [flag, 'F'],
    [names, 'a, b'],
    [share, ''],
    [exact, '12.5%'],
    [timeout, '1m'],
    [headers, 'a:1,b:x y'],
    [word, 'abc'],
  ];
  for (const [tunable, text] of cases) {
    const { values } = parseTunables({ X: tunable }, { X: text });
    assert.deepEqual(
      parseTunables({ X: tunable }, { X: formatTunable(tunable, values.X) }).values,
      values,
      text,
    );
  }
});

test('times are printed in the shortest usual form', () => {
  const cases = { 0: '0ms', 250: '250ms', 2000: '2s', 90000: '1m30s', 3600000: '1h', 1500: '1500ms' };
  for (const [milliseconds, text] of Object.entries(cases)) {
    assert.equal(formatDuration(Number(milliseconds)), text);
    assert.equal(parseDuration(text, 'seconds'), Number(milliseconds));
  }
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
