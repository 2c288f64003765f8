import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StructuralSchema } from './schema.ts';
import { validate } from './structural.ts';

test('a pattern that takes years where it goes back is answered', () => {
  const schema: StructuralSchema = { type: 'array', items: { type: 'string', pattern: '^(a+)+$' } };
  const errors = validate(schema, Array(50).fill(`${'a'.repeat(20_000)}!`));
  assert.equal(errors.length, 50);
  assert.match(errors[0]?.detail ?? '', / in body should match '\^\(a\+\)\+\$'$/);
});

test('patterns have a number of steps for all items together', () => {
  const schema: StructuralSchema = { type: 'array', items: { type: 'string', pattern: '^[ab]*a[ab]{500}$' } };
  const errors = validate(schema, Array(30).fill('ab'.repeat(1_000)));
  const details = errors.map(({ detail }) => detail);
  assert.match(details[0] ?? '', / should match /);
  assert.match(details.at(-1) ?? '', /cannot be checked: pattern .* takes too many steps/);
});

test('a value of too many choices is given up', () => {
  const anyOf = Array.from({ length: 1_000 }, (_, index) => ({ enum: [index + 10] }));
  const schema: StructuralSchema = { type: 'array', items: { type: 'integer', anyOf } };
  const errors = validate(schema, Array(500).fill(1));
  assert.ok(errors.some(({ detail }) => detail === 'too large to be checked against its schema'));
});

test('duplicates are found in long lists', () => {
  const schema: StructuralSchema = { type: 'array', uniqueItems: true, items: { type: 'integer' } };
  const items = Array.from({ length: 50_000 }, (_, index) => index);
  assert.deepEqual(validate(schema, items), []);
  assert.equal(validate(schema, [...items, 7]).length, 1);
});
