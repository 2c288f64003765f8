import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSchema, parse } from 'graphql';
import { DocumentCache } from './document-cache.ts';

const schema = buildSchema('type Query { a: Int }');
const document = parse('{ a }');

test('a document is found under its schema, its text and its rules only', () => {
  const good = new DocumentCache();
  good.keep(schema, '{ a }', 'user', document);
  assert.equal(good.find(schema, '{ a }', 'user'), document);
  assert.equal(good.find(schema, '{ a }', 'nobody'), undefined);
  assert.equal(good.find(schema, '{a}', 'user'), undefined);
  assert.equal(good.find(buildSchema('type Query { a: Int }'), '{ a }', 'user'), undefined);
});

test('256 are kept; the one that was not asked for the longest goes', () => {
  const good = new DocumentCache();
  for (let index = 0; index < 256; index += 1) good.keep(schema, `{ a } # ${index}`, 'user', document);
  assert.equal(good.find(schema, '{ a } # 0', 'user'), document);
  good.keep(schema, 'one more', 'user', document);
  assert.equal(good.find(schema, '{ a } # 0', 'user'), document);
  assert.equal(good.find(schema, '{ a } # 1', 'user'), undefined);
});

test('a document of 3,000 characters is kept, and no longer one', () => {
  const good = new DocumentCache();
  for (const length of [3_000, 3_001]) good.keep(schema, 'x'.repeat(length), 'user', document);
  assert.equal(good.find(schema, 'x'.repeat(3_000), 'user'), document);
  assert.equal(good.find(schema, 'x'.repeat(3_001), 'user'), undefined);
});
