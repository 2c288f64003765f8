import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildSchema } from 'graphql';
import { coordinatesOf, outermost } from './coordinates.ts';

test('everything that a schema names has a coordinate', () => {
  const schema = buildSchema(`
    interface Named { name: String }
    type Query { probe(id: ID!, in: Where): Named }
    input Where { mode: Mode }
    enum Mode { SOT }
  `);
  const expected = [
    'Mode',
    'Mode.SOT',
    'Named',
    'Named.name',
    'Query',
    'Query.probe',
    'Query.probe(id:)',
    'Query.probe(in:)',
    'Where',
    'Where.mode',
  ];
  const found = [...coordinatesOf(schema)].filter((one) => !one.startsWith('@'));
  assert.deepEqual(found.toSorted(), expected);
});

test('of what stands inside of one another the outermost is left', () => {
  const nested = ['Query.probe', 'Query.probe(id:)', 'Mode', 'Mode.SOT', 'Probe.name', 'Query.run(id:)'];
  assert.deepEqual(outermost(nested), ['Query.probe', 'Mode', 'Probe.name', 'Query.run(id:)']);
});
