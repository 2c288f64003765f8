import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { GRAPHQL_OPERATIONS, type Operation } from './operations.ts';
import { storableArguments } from './storable-arguments.ts';

const [ofPeople, ofAgents] = ['getProbe', 'podLog'].map((name) =>
  GRAPHQL_OPERATIONS.find((operation) => operation.name === name),
) as [Operation, Operation];

describe('arguments of operations', () => {
  for (const [args, field] of [
    [{ name: 'a\u0000' }, 'name'],
    [{ request: { tags: ['a', '\u0000'] } }, 'request.tags.1'],
  ] as const) {
    test(`of people are refused with NUL in ${field}`, () => {
      assert.throws(() => storableArguments(ofPeople, args), { code: 'invalid', fields: [field] });
    });
  }

  test('of people are refused with a list that is too long, those of agents are not', () => {
    const ids = Array.from({ length: 1_001 }, () => 'x');
    const refusal = { code: 'invalid', message: 'request.ids has 1001 entries; 1000 are allowed' };
    assert.throws(() => storableArguments(ofPeople, { request: { ids } }), refusal);
    storableArguments(ofPeople, { request: { ids: ids.slice(1) } });
    storableArguments(ofAgents, { request: { ids } });
  });

  test('of people are taken as they are without it, however deep they are', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const args = { name: 'a\u0001\u202e', nothing: null, count: 3, deep };
    assert.equal(storableArguments(ofPeople, args), args);
  });

  test('of agents have a mark in its place', () => {
    assert.deepEqual(storableArguments(ofAgents, { request: { log: 'a\u0000b', lines: ['\u0000'], n: 1 } }), {
      request: { log: 'a\ufffdb', lines: ['\ufffd'], n: 1 },
    });
  });
});
