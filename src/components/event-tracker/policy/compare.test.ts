import assert from 'node:assert/strict';
import { test } from 'node:test';
import { POLICY_OPERATORS, type PolicyOperator } from '../../../api/index.ts';
import { passes } from './compare.ts';

/** What is found, what it is compared with, and the operators that pass, of all but Change. */
const TABLE: readonly (readonly [found: unknown, value: string, passing: string])[] = [
  [1, '1', 'EqualTo LessThanEqualTo GreaterThanEqualTo'],
  [1, '1.0', 'EqualTo LessThanEqualTo GreaterThanEqualTo'],
  [9, '10', 'NotEqualTo LessThan LessThanEqualTo'],
  [-2, '-10', 'NotEqualTo GreaterThan GreaterThanEqualTo'],
  [1_000_000, '1000000', 'EqualTo LessThanEqualTo GreaterThanEqualTo'],
  [1_000_000, '1e6', 'EqualTo LessThanEqualTo GreaterThanEqualTo'],
  [0.5, '0.25', 'NotEqualTo GreaterThan GreaterThanEqualTo'],
  [5, 'five', 'NotEqualTo LessThan LessThanEqualTo'],
  ['nginx:1.18', 'nginx:1.18', 'EqualTo LessThanEqualTo GreaterThanEqualTo'],
  ['nginx:1.18', 'nginx:1.19', 'NotEqualTo LessThan LessThanEqualTo'],
  ['9', '10', 'NotEqualTo LessThan LessThanEqualTo'],
  ['1.0', '1', 'NotEqualTo LessThanEqualTo GreaterThanEqualTo'],
  ['500m', '1', 'NotEqualTo LessThan LessThanEqualTo'],
  ['10Gi', '9Gi', 'NotEqualTo GreaterThan GreaterThanEqualTo'],
  ['', '', 'EqualTo LessThanEqualTo GreaterThanEqualTo'],
  [true, 'true', 'EqualTo LessThanEqualTo GreaterThanEqualTo'],
  [false, 'true', 'NotEqualTo LessThan LessThanEqualTo'],
  [null, 'null', 'EqualTo'],
  [null, '', 'NotEqualTo'],
  [null, '0', 'NotEqualTo'],
  [['a', 'b'], '["a", "b"]', 'EqualTo'],
  [['a', 'b'], '["b", "a"]', 'NotEqualTo'],
  [{ app: 'web' }, '{"app": "web"}', 'EqualTo'],
  [{ app: 'web' }, 'no JSON', 'NotEqualTo'],
  ['9'.repeat(100), '1', 'NotEqualTo GreaterThan GreaterThanEqualTo'],
];

for (const [found, value, passing] of TABLE) {
  test(`${JSON.stringify(found).slice(0, 20)} passes, with ${JSON.stringify(value)}: ${passing}`, () => {
    const operators = POLICY_OPERATORS.filter((operator) => operator !== 'Change');
    assert.deepEqual(
      operators.filter((operator) => passes(operator, found, value)),
      passing.split(' ') satisfies string[] as PolicyOperator[],
    );
  });
}

test('Change passes whatever the value is: its caller knows that it has changed', () => {
  for (const found of [null, 0, '', [], {}]) assert.equal(passes('Change', found, ''), true);
});
