import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { ExpressionBudgetError, ExpressionError } from '../errors.ts';
import { evaluateExpression } from '../evaluate.ts';
import { newMap, printValue, toJson, type Value } from '../values.ts';
import { SPRIG, SPRIG_FUNCTIONS } from './table.ts';

/** What Sprig 3.3 answered when expr-lang 1.17 called it, in UTC. */
interface RecordedAnswer {
  readonly expression: string;
  readonly value?: unknown;
  readonly error?: string;
}

const RECORDED: readonly RecordedAnswer[] = JSON.parse(
  readFileSync(new URL('../test-data/recorded-sprig.json', import.meta.url), 'utf8'),
);

/** Answered differently on purpose, with the reason. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'sprig.regexMatch("[", "a")':
    'a pattern that cannot be compiled matches nothing there; here it is an error',
};

/** Errors at the same expressions, in other words. */
const OTHER_MESSAGES: ReadonlySet<string> = new Set([
  'sprig.mustToDate("2006-01-02", "x")',
  'sprig.nope(1)',
  'sprig.env("HOME")',
]);

function call(expression: string, random: () => number = Math.random): Value {
  return evaluateExpression(expression, newMap([['sprig', SPRIG]]), { functions: SPRIG_FUNCTIONS, random });
}

function plain(value: Value): unknown {
  const text = toJson(value);
  return text === undefined ? printValue(value) : JSON.parse(text);
}

describe('Sprig answered the same', () => {
  for (const { expression, value = null, error } of RECORDED) {
    test(expression, () => {
      if (DIFFERENT[expression] !== undefined) {
        assert.throws(() => call(expression), ExpressionError);
      } else if (error === undefined) {
        assert.deepEqual(plain(call(expression)), value);
      } else {
        const isSame = ({ message }: Error): boolean => OTHER_MESSAGES.has(expression) || message === error;
        assert.throws(
          () => call(expression),
          (thrown) => thrown instanceof ExpressionError && isSame(thrown),
        );
      }
    });
  }
});

test('what is drawn follows the source of random numbers', () => {
  const half = (): number => 0.5;
  assert.equal(call('sprig.randNumeric(4)', half), '5555');
  assert.equal(call('sprig.randInt(10, 20)', half), 15n);
  assert.match(
    String(call('sprig.uuidv4()')),
    /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
  );
  assert.equal(String(call('sprig.shuffle("abc")')).length, 3);
});

for (const [search, expected] of [
  ['sprig.regexMatch(PATTERN, TEXT)', false],
  ['sprig.regexFind(PATTERN, TEXT)', ''],
  ['sprig.regexFindAll(PATTERN, TEXT, -1)', []],
  ['sprig.regexReplaceAll(PATTERN, TEXT, "$1")', `${'a'.repeat(60)}!`],
  ['sprig.regexReplaceAllLiteral(PATTERN, TEXT, "b")', `${'a'.repeat(60)}!`],
  ['sprig.regexSplit(PATTERN, TEXT, -1)', [`${'a'.repeat(60)}!`]],
] as const) {
  test(`a pattern that keeps engines busy for ever that go back is answered: ${search}`, () => {
    const expression = search.replace('PATTERN', '"^(a+)+$"').replace('TEXT', `"${'a'.repeat(60)}!"`);
    assert.deepEqual(call(expression), expected);
  });
}

test('what is too large is refused before it is made', () => {
  const expressions = [
    'sprig.repeat(5000000, "x")',
    'sprig.until(5000000)',
    'sprig.seq(1, 5000000)',
    'sprig.indent(5000000, "x")',
    'sprig.randAlpha(5000000)',
    'sprig.replace("", sprig.repeat(3000, "y"), sprig.repeat(3000, "x"))',
    'sprig.uniq(1..3000)',
  ];
  for (const expression of expressions)
    assert.throws(() => call(expression), ExpressionBudgetError, expression);
});

test('neither the environment of the process nor the network can be reached', () => {
  for (const name of ['env', 'expandenv', 'getHostByName'])
    assert.throws(() => call(`sprig.${name}("HOME")`));
});
