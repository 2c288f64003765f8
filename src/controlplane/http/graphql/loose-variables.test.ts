import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSchema, parse } from 'graphql';
import { looseVariables } from './loose-variables.ts';

const SCHEMA = buildSchema(`
  input Page { page: Int! limit: Int }
  input Filter { name: String ids: [ID!] page: Page more: [Filter!] }
  type Query { a(id: ID!, filter: Filter, count: Int, on: Boolean, ratio: Float): Int }
`);
const DOCUMENT = parse(
  'query q($id: ID!, $filter: Filter, $count: Int, $on: Boolean, $ratio: Float, $x: Nothing) { a(id: $id) } query r($id: Int) { a(id: 1) }',
);

const CASES: readonly [what: string, given: Readonly<Record<string, unknown>>, read: object][] = [
  ['a number where an ID is declared', { id: 6 }, { id: '6' }],
  ['text of digits where a whole number is declared', { count: '-5' }, { count: -5 }],
  ['text that is none', { count: '5.5' }, { count: '5.5' }],
  ['too many digits to be exact', { count: '1234567890123456' }, { count: '1234567890123456' }],
  ['a name that is a number, in an input', { filter: { name: 5 } }, { filter: { name: '5' } }],
  [
    'lists and inputs in inputs',
    { filter: { ids: [1, 'b'], more: [{ page: { page: '0' } }] } },
    { filter: { ids: ['1', 'b'], more: [{ page: { page: 0 } }] } },
  ],
  [
    'an unknown field, for the executor to refuse',
    { filter: { constructor: 1 } },
    { filter: { constructor: 1 } },
  ],
  ['null', { filter: null, id: null }, { filter: null, id: null }],
  ['text where an input is declared', { filter: 'x' }, { filter: 'x' }],
  ['truths and fractions, which stay strict', { on: 'true', ratio: '1.5' }, { on: 'true', ratio: '1.5' }],
  ['a variable that is not declared', { other: 1 }, { other: 1 }],
  ['a variable of an unknown type', { x: 1 }, { x: 1 }],
];

for (const [what, given, read] of CASES) {
  test(`variables: ${what}`, () => {
    assert.deepEqual(looseVariables(SCHEMA, DOCUMENT, 'q', given), read);
  });
}

test('variables: the operation that is named counts, without a name the first', () => {
  assert.deepEqual(looseVariables(SCHEMA, DOCUMENT, 'r', { id: '6' }), { id: 6 });
  assert.deepEqual(looseVariables(SCHEMA, DOCUMENT, undefined, { id: 6 }), { id: '6' });
});
