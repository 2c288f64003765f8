import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExpressionError, loadExpressions } from './expression.ts';

const read = await loadExpressions();

const OBJECT = {
  metadata: { name: 'web', annotations: { 'example.com/tier': 'front' } },
  spec: {
    replicas: 2,
    containers: [
      { name: 'b', image: 'x' },
      { name: 'a', image: 'y' },
    ],
  },
};

const TABLE: readonly (readonly [expression: string, value: unknown])[] = [
  ['spec.replicas', 2],
  ['spec.containers[0].image', 'x'],
  ['spec.containers[-1].image', 'y'],
  ['$.spec | @.replicas', 2],
  ['spec.containers[*].name', ['b', 'a']],
  ['sort(spec.containers[*].name)', ['a', 'b']],
  ['reverse(spec.containers[*].name)', ['a', 'b']],
  ["spec.containers[?name=='a'].image | [0]", 'y'],
  ['metadata.annotations."example.com/tier"', 'front'],
  ['metadata.labels.app', null],
  ['length(spec.containers)', 2],
];

for (const [expression, value] of TABLE) {
  test(`${expression} gives ${JSON.stringify(value)}, and leaves the object as it is`, () => {
    const object = structuredClone(OBJECT);
    assert.deepEqual(read(expression)(object), value);
    assert.deepEqual(object, OBJECT);
  });
}

for (const expression of ['spec.', '[', 'foo bar', '']) {
  test(`${JSON.stringify(expression)} is no expression`, () => {
    assert.throws(() => read(expression), ExpressionError);
  });
}

test('a function or an operator that is given what it does not take throws', () => {
  assert.throws(() => read('length(spec.replicas)')(OBJECT));
  // A slash divides: a name with one needs quotes.
  assert.throws(() => read('metadata.annotations.example.com/tier')(OBJECT));
});

test('an expression that multiplies what it reads is ended, and not tried a second time', () => {
  const evaluate = read(`[@,@]${'[].[@,@][]'.repeat(40)}`);
  const failure = (): Error => {
    try {
      evaluate({ a: 1 });
    } catch (error) {
      assert.ok(error instanceof Error);
      return error;
    }
    assert.fail('it has a value');
  };
  const first = failure();
  assert.match(first.message, /takes longer than/);
  assert.notEqual(first.cause, undefined);
  // What is known to take too long fails without an attempt, and so without the failure of one.
  const second = failure();
  assert.match(second.message, /takes longer than/);
  assert.equal(second.cause, undefined);
});

test('a path is cheaper than the watch over other expressions: a hundred thousand in less than a second of processor time', () => {
  const evaluate = read('spec.containers[0].image');
  const before = process.threadCpuUsage();
  for (let count = 0; count < 100_000; count++) evaluate(OBJECT);
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 1_000_000, `${(user + system) / 1_000} ms`);
});
