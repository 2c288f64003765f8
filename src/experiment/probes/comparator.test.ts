import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ComparatorType } from '../../api/schema/vocabulary.ts';
import { compare } from './comparator.ts';

type Row = readonly [type: ComparatorType, actual: string, criteria: string, value: string, expected: string];

const MATCH = 'match';

const TABLE: readonly Row[] = [
  // int
  ['int', '200', '==', '200', MATCH],
  ['int', '500', '==', '200', 'Actual value: 500. Expected value: should be equal to 200'],
  ['int', '201', '>=', '200', MATCH],
  ['int', '200', '>=', '200', MATCH],
  ['int', '199', '>=', '200', 'Actual value: 199. Expected value: greater than or equal to 200'],
  ['int', '200', '<=', '200', MATCH],
  ['int', '201', '<=', '200', 'Actual value: 201. Expected value: lesser than or equal to 200'],
  ['int', '201', '>', '200', MATCH],
  ['int', '200', '>', '200', 'Actual value: 200. Expected value: greater than 200'],
  ['int', '199', '<', '200', MATCH],
  ['int', '200', '<', '200', 'Actual value: 200. Expected value: lesser than 200'],
  ['int', '1', '!=', '2', MATCH],
  ['int', '2', '!=', '2', 'Actual value: 2. Expectation: should not match the provided value: 2'],
  ['int', '201', 'oneOf', '200, 201', MATCH],
  ['int', '201', 'OneOf', '201', MATCH],
  [
    'int',
    '404',
    'oneOf',
    '200, 201',
    "Actual value: 404 doesn't matched any of the Expected values: [[200 201]]",
  ],
  ['int', '200', 'between', '200,299', MATCH],
  ['int', '299', 'Between', ' 200 , 299 ', MATCH],
  [
    'int',
    '300',
    'between',
    '200,299',
    "Actual value: 300 doesn't lie in between the Expected range: [[200 299]]",
  ],
  ['int', ' 7', '==', '7 ', MATCH],
  ['int', '+7', '==', '7', MATCH],
  ['int', '-7', '<', '0', MATCH],
  [
    'int',
    '9007199254740993',
    '==',
    '9007199254740992',
    'Actual value: 9007199254740993. Expected value: should be equal to 9007199254740992',
  ],
  ['int', '5.0', '==', '5', 'error: Actual value: 5.0. Expected value: a whole number (comparator type int)'],
  [
    'int',
    '200 OK',
    '==',
    '200',
    'error: Actual value: 200 OK. Expected value: a whole number (comparator type int)',
  ],
  [
    'int',
    '',
    '==',
    '0',
    'error: the measured value is empty. Expected value: a whole number (comparator type int)',
  ],
  [
    'int',
    '1',
    '==',
    'one',
    'error: comparator.value: Invalid value: "one": must be a whole number, because the type is int',
  ],
  // float
  ['float', '0.30000000000000004', '==', '0.3', MATCH],
  ['float', '0.3001', '==', '0.3', 'Actual value: 0.3001. Expected value: equal to 0.3'],
  [
    'float',
    '0.30000000000000004',
    '!=',
    '0.3',
    'Actual value: 0.30000000000000004. Expectation: should not match the provided value: 0.3',
  ],
  ['float', '0.3', '>=', '0.30000000000000004', MATCH],
  [
    'float',
    '1000000000001',
    '==',
    '1000000000000',
    'Actual value: 1000000000001. Expected value: equal to 1000000000000',
  ],
  ['float', '1e3', '==', '1000', MATCH],
  ['float', '.5', '<', '1', MATCH],
  ['float', '5', 'between', '4.5,5.5', MATCH],
  ['float', '0.3', 'between', '0.30000000000000004,1', MATCH],
  [
    'float',
    '6',
    'between',
    '4.5,5.5',
    "Actual value: 6 doesn't lie in between the Expected range: [[4.5 5.5]]",
  ],
  ['float', '6', 'oneOf', '4.5,6.0', MATCH],
  ['float', '+Inf', '>', '1e300', MATCH],
  ['float', '+Inf', '==', '1', 'Actual value: +Inf. Expected value: equal to 1'],
  ['float', '-Inf', '<', '0', MATCH],
  [
    'float',
    'NaN',
    '>=',
    '0',
    'Actual value: NaN. Expected value: greater than or equal to 0 (NaN compares with nothing)',
  ],
  [
    'float',
    'NaN',
    '<=',
    '0',
    'Actual value: NaN. Expected value: lesser than or equal to 0 (NaN compares with nothing)',
  ],
  [
    'float',
    'NaN',
    '!=',
    '0',
    'Actual value: NaN. Expectation: should not match the provided value: 0 (NaN compares with nothing)',
  ],
  ['float', 'fast', '<', '1', 'error: Actual value: fast. Expected value: a number (comparator type float)'],
  [
    'float',
    '0x10',
    '==',
    '16',
    'error: Actual value: 0x10. Expected value: a number (comparator type float)',
  ],
  // string
  ['string', 'ready', 'equal', 'ready', MATCH],
  ['string', 'ready', 'Equal', 'Ready', 'Actual value: ready. Expected value: equal to Ready'],
  ['string', 'a,b', 'equal', 'a,b', MATCH],
  ['string', 'ready', 'notEqual', 'down', MATCH],
  ['string', 'down', 'NotEqual', 'down', 'Actual value: down. Expected value: should not be equal to down'],
  ['string', 'it is ready', 'contains', 'is re', MATCH],
  ['string', 'it is a', 'Contains', 'a,b', 'Actual value: it is a. Expected value: should contain a,b'],
  ['string', 'pod-7 Running', 'matches', 'pod-\\d+ Run', MATCH],
  [
    'string',
    'pod-x',
    'Matches',
    '^pod-\\d+$',
    'Actual value: pod-x. Expected value: should match regex ^pod-\\d+$',
  ],
  ['string', 'OK', 'matches', '(?i)ok', MATCH],
  ['string', 'aaa', 'matches', 'a{2,3}', MATCH],
  ['string', 'pod-x', 'notMatches', '\\d', MATCH],
  [
    'string',
    'pod-7',
    'NotMatches',
    '\\d',
    'Actual value: pod-7. Expected value: should not match regex: \\d',
  ],
  ['string', 'b', 'oneOf', 'a, b', MATCH],
  ['string', 'c', 'OneOf', 'a, b', 'Actual value: c. Expected values: should match one of following [[a b]]'],
  ['string', 'a', 'oneOf', 'a', MATCH],
];

test('comparator table', () => {
  for (const [type, actual, criteria, value, expected] of TABLE) {
    const comparison = compare({ type, criteria, value }, actual);
    const found =
      comparison.outcome === 'match'
        ? MATCH
        : comparison.outcome === 'error'
          ? `error: ${comparison.reason}`
          : comparison.reason;
    assert.equal(found, expected, `${type} '${actual}' ${criteria} '${value}'`);
  }
});

for (const [pattern, text, outcome] of [
  ['^(\\w+\\s?)*$', `${'word '.repeat(14)}!`, 'mismatch'],
  ['^(0+)+$', `${'0'.repeat(40)}!`, 'mismatch'],
  ['"status":.*"ok".*"status":.*"degraded"', '{"status":"ok","detail":"none"},'.repeat(400), 'mismatch'],
  ['(?:abcdefghij){1000}', 'a'.repeat(1024 * 1024), 'error'],
] as const) {
  test(`a pattern cannot keep the process busy: ${pattern} on ${text.length} characters`, () => {
    for (const criteria of ['matches', 'notMatches']) {
      const expected = outcome === 'mismatch' && criteria === 'notMatches' ? 'match' : outcome;
      assert.equal(compare({ type: 'string', criteria, value: pattern }, text).outcome, expected);
    }
  });
}

test('what passes or fails whatever is measured is refused', () => {
  const table = [
    ['string', 'contains', '', /with an empty one every text passes/],
    ['string', 'Matches', '', /with an empty one every text passes/],
    ['string', 'notMatches', '', /with an empty one no text passes/],
    ['float', '!=', 'NaN', /NaN compares with nothing/],
    ['float', 'oneOf', '1,NaN', /NaN compares with nothing/],
  ] as const;
  for (const [type, criteria, value, reason] of table) {
    const compared = compare({ type, criteria, value }, '1');
    assert.equal(compared.outcome, 'error');
    assert.match(compared.outcome === 'error' ? compared.reason : '', reason);
  }
  assert.equal(compare({ type: 'string', criteria: 'equal', value: '' }, '').outcome, 'match');
});

test('ordering criteria agree with numbers', () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
      const holds = (criteria: string): boolean =>
        compare({ type: 'int', criteria, value: `${b}` }, `${a}`).outcome === 'match';
      assert.deepEqual(
        [holds('<'), holds('<='), holds('=='), holds('!='), holds('>='), holds('>')],
        [a < b, a <= b, a === b, a !== b, a >= b, a > b],
      );
    }),
  );
  fc.assert(
    fc.property(fc.double({ noNaN: true }), fc.double({ noNaN: true }), (a, b) => {
      const holds = (criteria: string): boolean =>
        compare({ type: 'float', criteria, value: `${b}` }, `${a}`).outcome === 'match';
      assert.equal(holds('=='), !holds('!='));
      assert.equal(holds('>='), holds('>') || holds('=='));
      assert.equal(holds('<='), holds('<') || holds('=='));
    }),
  );
});
