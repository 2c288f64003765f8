import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_LIMITS } from './budget.ts';
import { ExpressionBudgetError, ExpressionError } from './errors.ts';
import { evaluateExpression } from './evaluate.ts';
import { UnknownNameError } from './expr/evaluate.ts';
import { toFloat, toInt } from './functions/numbers.ts';
import type { FunctionTable } from './functions/row.ts';
import { newMap, printValue, toJson, type Value } from './values.ts';

/** What expr-lang 1.17 answered, over {@link ENVIRONMENT}: the value and its type, or the whole error text. */
interface RecordedAnswer {
  readonly expression: string;
  readonly type?: string;
  readonly value?: unknown;
  readonly error?: string;
}

const RECORDED: readonly RecordedAnswer[] = JSON.parse(
  readFileSync(new URL('./test-data/recorded-answers.json', import.meta.url), 'utf8'),
);

const ENVIRONMENT = newMap([
  ['a', 'x'],
  [
    'm',
    newMap([
      ['k', 'v'],
      ['l', ['1', '2']],
    ]),
  ],
  ['list', ['x', 'y']],
  ['n', null],
  ['b', true],
  ['i', 5n],
  ['fl', 2.5],
]);

const FUNCTIONS: FunctionTable = {
  asInt: { arity: [1, 1], run: ([value = null]) => toInt(value) },
  asFloat: { arity: [1, 1], run: ([value = null]) => toFloat(value) },
  toJson: { arity: [1, 1], run: ([value = null]) => toJson(value) ?? '' },
};

/** Values that differ on purpose, with the reason. */
const OTHER_VALUES: Readonly<Record<string, string>> = {
  'groupBy(1..4, # % 2)':
    'Go makes a map with numbers as keys, which JSON does not have; the keys are texts here',
  'fromPairs([["a",1],["b",2]])': 'Go makes a map with keys of any type, which JSON does not have',
  'split("a,b,c", ",", 0)': 'Go has a list without memory, which is null in JSON; the list is empty here',
};

/** Errors whose text says it better, or in other words; they are errors at the same expressions. */
const OTHER_MESSAGES: ReadonlySet<string> = new Set([
  '"foo" matches "["',
  '[1,2,3][5]',
  '"hello"[0]',
  'reduce([], #acc + #)',
  'join([1,2])',
  'fromJSON("{")',
  'fromBase64("###")',
  'len()',
  'len(1,2)',
  'filter([1], # + 1)',
  'all([1], {#})',
  'asInt("x")',
  '9223372036854775808',
  '"\\q"',
]);

function outcome(expression: string): { readonly value: Value } | { readonly error: ExpressionError } {
  try {
    return { value: evaluateExpression(expression, ENVIRONMENT, { functions: FUNCTIONS }) };
  } catch (error) {
    if (error instanceof ExpressionError) return { error };
    throw error;
  }
}

function plain(value: Value): unknown {
  const text = toJson(value);
  return text === undefined ? printValue(value) : JSON.parse(text);
}

describe('expr-lang answered the same', () => {
  for (const { expression, value = null, error } of RECORDED) {
    test(expression, () => {
      const got = outcome(expression);
      if (error === undefined) {
        assert.ok('value' in got, `refused: ${'error' in got ? got.error.message : ''}`);
        if (OTHER_VALUES[expression] === undefined) assert.deepEqual(plain(got.value), value);
        else assert.notDeepEqual(plain(got.value), value, 'it is equal: take it off the list');
      } else {
        assert.ok('error' in got, 'expr-lang refuses it');
        if (OTHER_MESSAGES.has(expression)) assert.notEqual(got.error.message, error, 'take it off the list');
        else assert.equal(got.error.message, error);
      }
    });
  }
});

describe('limits', () => {
  const nested = (levels: number): string => `${'('.repeat(levels)}1${')'.repeat(levels)}`;
  const rows: readonly [name: string, limit: string, within: string, beyond: string][] = [
    [
      'characters',
      'characters of source',
      `1${' '.repeat(DEFAULT_LIMITS.sourceLength - 1)}`,
      `1${' '.repeat(DEFAULT_LIMITS.sourceLength)}`,
    ],
    ['levels', 'levels', nested(DEFAULT_LIMITS.depth - 1), nested(DEFAULT_LIMITS.depth)],
    [
      'nodes',
      'nodes',
      `[${'1,'.repeat(DEFAULT_LIMITS.nodes - 1)}]`,
      `[${'1,'.repeat(DEFAULT_LIMITS.nodes)}]`,
    ],
    ['a range', 'characters and elements', '0..99', '1..4000001'],
    ['a text', 'characters and elements', 'repeat("x", 99)', 'repeat("x", 4000001)'],
    ['steps', 'steps', 'len(map(1..1000, #))', 'len(map(1..3000, map(1..3000, #)))'],
  ];
  for (const [name, limit, within, beyond] of rows) {
    test(name, () => {
      evaluateExpression(within, {});
      assert.throws(
        () => evaluateExpression(beyond, {}),
        (error) => error instanceof ExpressionBudgetError && error.limit === limit,
      );
    });
  }
});

test('a missing name has an error of its own', () => {
  assert.throws(
    () => evaluateExpression('1 + inputs.x', {}),
    (error) => error instanceof UnknownNameError && error.unknown === 'inputs',
  );
});

test('nothing of the process can be reached', () => {
  for (const name of ['constructor', '__proto__', 'toString', 'process', 'globalThis', 'require']) {
    assert.throws(() => evaluateExpression(name, {}), UnknownNameError);
    assert.equal(evaluateExpression(`m.${name}`, { m: {} }), null);
    assert.equal(evaluateExpression(`m["${name}"]`, { m: {} }), null);
    assert.equal(evaluateExpression(`"${name}" in m`, { m: {} }), false);
  }
  assert.equal(evaluateExpression('{"__proto__": {"x": 1}}.x', {}), null);
});

test('whatever is written, it ends with a value or an ExpressionError', () => {
  const word = fc.constantFrom(
    ...[
      '1',
      '2.5',
      '"a"',
      "'b'",
      'a',
      'm',
      'list',
      'n',
      'b',
      'i',
      'nope',
      '#',
      '.k',
      '#index',
      'nil',
      'true',
    ],
    ...[
      '+',
      '-',
      '*',
      '/',
      '%',
      '**',
      '^',
      '==',
      '!=',
      '<',
      '>=',
      'in',
      'not',
      'and',
      '||',
      '??',
      '?.',
      '..',
      '.',
    ],
    ...[
      '|',
      '?',
      ':',
      ',',
      ';',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      'let',
      'x',
      '=',
      'if',
      'else',
      'matches',
      'contains',
    ],
    ...[
      'map(',
      'filter(',
      'reduce(',
      'len(',
      'split(',
      'sortBy(',
      'toJSON(',
      'fromJSON(',
      'date(',
      'duration(',
      'int(',
    ],
  );
  const sentence = fc.array(word, { maxLength: 25 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(fc.oneof(sentence, fc.string({ unit: 'binary', maxLength: 40 })), (expression) => {
      outcome(expression);
    }),
    { numRuns: Number(process.env.EXPRESSION_FUZZ_RUNS ?? 2_000) },
  );
});
