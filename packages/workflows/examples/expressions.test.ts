import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExpressionError, evaluateExpression } from '@turnsole/workflows';

test('an expression over an environment, as expr-lang has it: integers are bigints', () => {
  const environment = { parameters: { pods: [3n, 1n, 2n] } };
  assert.equal(evaluateExpression('max(parameters.pods) * 2', environment), 6n);
  assert.deepEqual(evaluateExpression('filter(parameters.pods, # > 1)', environment), [3n, 2n]);
});

test('what is wrong is shown where it stands, and no expression takes more than its limits allow', () => {
  assert.throws(
    () => evaluateExpression('pods >', {}),
    (error) => error instanceof ExpressionError && /\(1:/.test(error.message),
  );
  assert.throws(() => evaluateExpression('map(1..100000, map(1..100000, #))', {}), /limit|budget|more than/i);
});
