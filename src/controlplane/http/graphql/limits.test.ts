import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSchema, parse, validate } from 'graphql';
import { limits } from './limits.ts';

const SCHEMA = buildSchema('type Query { a: Node } type Node { b: Node, c: Int }');

function problems(document: string): string[] {
  return validate(SCHEMA, parse(document), [limits]).map(({ message }) => message);
}

const nested = (levels: number): string =>
  `{ a ${'{ b '.repeat(levels - 2)}{ c }${' }'.repeat(levels - 2)} }`;
const wide = (fields: number): string =>
  `{ a { ${Array.from({ length: fields - 1 }, (_, i) => `f${i}: c`).join(' ')} } }`;
const many = (operations: number): string =>
  `{ ${Array.from({ length: operations }, (_, i) => `o${i}: a { c }`).join(' ')} }`;

test('levels: 15 pass, 16 do not', () => {
  assert.deepEqual(problems(nested(15)), []);
  assert.deepEqual(problems(nested(16)), ['the document has 16 levels of fields; 15 are allowed']);
});

test('fields: 1,500 pass, 1,501 do not', () => {
  assert.deepEqual(problems(wide(1_500)), []);
  assert.deepEqual(problems(wide(1_501)), [
    'the document asks for more than 1500 fields, which is the limit',
  ]);
});

test('operations at once: 20 pass, 21 do not', () => {
  assert.deepEqual(problems(many(20)), []);
  assert.deepEqual(problems(many(21)), ['the document asks for 21 operations at once; 20 are allowed']);
});

test('fragments count wherever they are used, and cost no time that grows by powers', () => {
  const doubling = Array.from(
    { length: 30 },
    (_, i) => `fragment F${i} on Node { x: b { ...F${i + 1} } y: b { ...F${i + 1} } }`,
  );
  const document = `{ a { ...F0 } } ${doubling.join(' ')} fragment F30 on Node { c }`;

  assert.deepEqual(problems(document), ['the document has 32 levels of fields; 15 are allowed']);
});

test('a fragment within itself is left to the rule that reports it', () => {
  assert.deepEqual(problems('{ a { ...F } } fragment F on Node { b { ...F } }'), []);
});

test('nodes in each other: some hundred pass, some thousand do not, whatever the stack has room for', () => {
  const types = (levels: number): string =>
    `query ($a: ${'['.repeat(levels)}Int${']'.repeat(levels)}) { a { c } }`;
  assert.deepEqual(problems(types(150)), []);
  assert.throws(() => problems(types(1_000)), /the document is nested too deep/);
});

test('one field at one place: 20 times pass, 21 do not, by name or alias', () => {
  const same = (times: number, field: string): string => `{ a { ${`${field} `.repeat(times)}} }`;
  assert.deepEqual(problems(same(20, 'c')), []);
  for (const field of ['c', 'c: c']) {
    assert.throws(() => problems(same(21, field)), /asks for c 21 times at one place; 20 are allowed/);
  }
});

test('operations and fragments: 100 pass, 101 do not', () => {
  const fragments = (count: number): string =>
    `{ a { c } } ${Array.from({ length: count - 1 }, (_, i) => `fragment F${i} on Node { c }`).join(' ')}`;
  assert.deepEqual(problems(fragments(100)), []);
  assert.throws(() => problems(fragments(101)), /has 101 operations and fragments; 100 are allowed/);
});
