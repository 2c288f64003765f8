import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { StructuralSchema } from './schema.ts';
import { editDistance, suggest } from './suggest.ts';
import { findUnknownFields } from './unknown-fields.ts';

const text: StructuralSchema = { type: 'string' };
const open = { 'x-kubernetes-preserve-unknown-fields': true } as const;
const schema: StructuralSchema = {
  type: 'object',
  properties: {
    metadata: { type: 'object' },
    spec: {
      type: 'object',
      ...open,
      properties: {
        engineState: text,
        components: {
          type: 'object',
          ...open,
          properties: { env: { type: 'array' }, runner: { type: 'object', ...open } },
        },
        labels: { type: 'object', additionalProperties: text },
        probe: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: text, 'httpProbe/inputs': { type: 'object', properties: { url: text } } },
          },
        },
      },
    },
  },
};

const CASES: readonly [name: string, value: unknown, found: readonly string[]][] = [
  [
    'nothing unknown',
    { apiVersion: 'v1', kind: 'X', metadata: { anything: 1 }, spec: { engineState: 'x' } },
    [],
  ],
  ['a slip', { spec: { engineStat: 'x' } }, ['spec.engineStat: unknown field; did you mean "engineState"?']],
  [
    'wrong case',
    { spec: { enginestate: 'x' } },
    ['spec.enginestate: unknown field; did you mean "engineState"?'],
  ],
  [
    'separators',
    { spec: { 'engine-state': 'x' } },
    ['spec.engine-state: unknown field; did you mean "engineState"?'],
  ],
  ['one level too high', { spec: { env: [] } }, ['spec.env: unknown field; did you mean "components.env"?']],
  ['nothing near', { spec: { somethingElse: 1 } }, ['spec.somethingElse: unknown field']],
  ['free-form objects', { spec: { components: { runner: { a: { b: 1 } } }, labels: { x: 'y' } } }, []],
  [
    'in lists, below names with slashes',
    { spec: { probe: [{ name: 'a' }, { 'httpProbe/input': {} }, { 'httpProbe/inputs': { uri: 1 } }] } },
    [
      'spec.probe[1]["httpProbe/input"]: unknown field; did you mean "httpProbe/inputs"?',
      'spec.probe[2]["httpProbe/inputs"].uri: unknown field; did you mean "url"?',
    ],
  ],
  ['at the top', { specc: {} }, ['specc: unknown field; did you mean "spec"?']],
  [
    'inherited names',
    JSON.parse('{"spec":{"constructor":1,"__proto__":2}}'),
    ['spec.constructor: unknown field', 'spec.__proto__: unknown field'],
  ],
];

describe('findUnknownFields', () => {
  for (const [name, value, found] of CASES) {
    it(`finds ${name}`, () => {
      const sentences = findUnknownFields(schema, value).map(({ path, suggestion }) => {
        const hint = suggestion === undefined ? '' : `; did you mean ${JSON.stringify(suggestion)}?`;
        return `${path}: unknown field${hint}`;
      });
      assert.deepEqual(sentences, found);
    });
  }
});

describe('editDistance', () => {
  const distances: readonly [a: string, b: string, distance: number][] = [
    ['', '', 0],
    ['a', '', 1],
    ['kitten', 'sitting', 3],
    ['ab', 'ba', 1],
    ['experiment', 'experiments', 1],
    ['probe', 'prboe', 1],
  ];
  for (const [a, b, distance] of distances) {
    it(`of "${a}" and "${b}" is ${distance}`, () => assert.equal(editDistance(a, b), distance));
  }
  it('is symmetric, zero for equal texts only, and at most the longer length', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b);
        assert.equal(distance, editDistance(b, a));
        assert.equal(distance === 0, a === b);
        assert.ok(distance <= Math.max(a.length, b.length));
      }),
    );
  });
});

describe('suggest', () => {
  it('takes the nearest, or nothing when all are far', () => {
    assert.equal(suggest('applabels', ['appns', 'applabel', 'appkind']), 'applabel');
    assert.equal(suggest('timeout', ['url', 'method']), undefined);
    assert.equal(suggest('x'.repeat(1000), ['y'.repeat(1000)]), undefined);
  });
});
