import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Budget } from '../budget.ts';
import { ExpressionError } from '../errors.ts';
import {
  type BareWords,
  evaluateGovaluate,
  GovaluateSyntaxError,
  type GovaluateValue,
} from './evaluate-govaluate.ts';

/** What govaluate answered, with bare words as texts: a value, why it could not be read, or why not evaluated. */
interface RecordedCondition {
  readonly expression: string;
  readonly value: GovaluateValue;
  readonly syntax?: string;
  readonly error?: string;
}

const RECORDED: readonly RecordedCondition[] = JSON.parse(
  readFileSync(new URL('../test-data/recorded-conditions.json', import.meta.url), 'utf8'),
);

/** Answered differently on purpose, with the reason. */
const DIFFERENT: Readonly<Record<string, string>> = {
  '(1) 2': 'govaluate ignores everything after the parenthesis; here it is refused',
  "foo =~ '['": 'a bad pattern is an error all the same, in the words of the patterns of this project',
};

function outcome(expression: string, bareWords: BareWords = 'texts') {
  try {
    return { value: evaluateGovaluate(expression, bareWords, new Budget()) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { message: error.message, isSyntax: error instanceof GovaluateSyntaxError };
  }
}

describe('govaluate answered the same', () => {
  for (const { expression, value, syntax, error } of RECORDED) {
    test(expression, () => {
      const message = syntax ?? error;
      const expected = message === undefined ? { value } : { message, isSyntax: syntax !== undefined };
      if (DIFFERENT[expression] === undefined) assert.deepEqual(outcome(expression), expected);
      else assert.notDeepEqual(outcome(expression), expected, 'it is equal: take it off the list');
    });
  }
});

test('where bare words are parameters, there are none', () => {
  assert.deepEqual(outcome('heads == tails', 'parameters'), {
    message: "No parameter 'heads' found.",
    isSyntax: false,
  });
  assert.deepEqual(outcome("'a' == 'a'", 'parameters'), { value: true });
});

test('nesting has a limit', () => {
  assert.deepEqual(outcome(`${'('.repeat(199)}1${')'.repeat(199)}`), { value: 1 });
  assert.match(String(outcome(`${'('.repeat(300)}1${')'.repeat(300)}`).message), /limit of 200 levels/);
});

test('whatever is written, it ends with a value or an ExpressionError', () => {
  const word = fc.constantFrom(
    ...['1', 'a', "'b'", '"c"', '[d e]', 'true', 'a.B', '0x1f', "'2020-01-01'", '(', ')', ',', '!', '-', '~'],
    ...[
      '==',
      '!=',
      '<',
      '>=',
      '=~',
      'in',
      '&&',
      '||',
      '?',
      ':',
      '??',
      '+',
      '*',
      '**',
      '<<',
      '&',
      '%',
      '{{',
      '\\',
    ],
  );
  const sentence = fc.array(word, { maxLength: 20 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(fc.oneof(sentence, fc.string({ unit: 'binary', maxLength: 30 })), (expression) => {
      outcome(expression);
    }),
    { numRuns: Number(process.env.EXPRESSION_FUZZ_RUNS ?? 2_000) },
  );
});
