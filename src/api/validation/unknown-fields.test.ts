import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { CUSTOM_RESOURCES } from '../crds.ts';
import { fieldMeant } from './field-meant.ts';
import type { StructuralSchema } from './schema.ts';
import { editDistance, suggest } from './suggest.ts';
import { findUnknownFields, unknownFieldText } from './unknown-fields.ts';

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

describe('a known field at another place of an engine, and probes in any form', () => {
  const engine = CUSTOM_RESOURCES.find(({ resource }) => resource.kind === 'ChaosEngine')?.schema ?? {};
  const inputs = { url: 'http://nowhere.invalid/', method: { get: { criteria: '==', responseCode: '200' } } };
  const probe = { name: 'p', type: 'httpProbe', mode: 'SOT', 'httpProbe/inputs': inputs };
  const place = 'spec.experiments[1].spec.probe';
  const second = (spec: object): object => ({
    spec: { experiments: [{ name: 'a' }, { name: 'b', spec }] },
  });
  const here = 'spec.experiments[1].spec';
  const belongs = (path: string, to: string): string => `${path}: means nothing here; it belongs at ${to}`;
  const cases: [string, object, string][] = [
    [
      'beside env',
      second({ components: { env: [], probe: [probe] } }),
      belongs(`${here}.components.probe`, place),
    ],
    [
      'as a list of one type',
      second({ httpProbe: [{ name: 'p', inputs }] }),
      belongs(`${here}.httpProbe`, place),
    ],
    [
      'of one type, misspelled',
      second({ httProbe: [{ name: 'p', inputs }] }),
      belongs(`${here}.httProbe`, place),
    ],
    [
      'under any name',
      second({ components: { checks: [probe] } }),
      belongs(`${here}.components.checks`, place),
    ],
    [
      'in the spec',
      { spec: { probe: [probe], experiments: [] } },
      belongs('spec.probe', 'spec.experiments[0].spec.probe'),
    ],
    [
      'an application below an experiment',
      second({ appinfo: { appns: 'a' } }),
      belongs(`${here}.appinfo`, 'spec.appinfo'),
    ],
    [
      'an application below components',
      { spec: { components: { appinfo: {} }, experiments: [] } },
      belongs('spec.components.appinfo', 'spec.appinfo'),
    ],
    ['selectors', second({ selectors: { pods: [] } }), belongs(`${here}.selectors`, 'spec.selectors')],
    [
      'a single setting',
      second({ engineState: 'active' }),
      belongs(`${here}.engineState`, 'spec.engineState'),
    ],
    [
      'inputs of a probe without its type',
      second({ probe: [{ ...probe, inputs }] }),
      `${here}.probe[0].inputs: unknown field; did you mean "httpProbe/inputs"?`,
    ],
    [
      'a type of a probe as its field',
      second({ probe: [{ name: 'p', type: 'cmdProbe', cmdProbe: {} }] }),
      `${here}.probe[0].cmdProbe: unknown field; did you mean "cmdProbe/inputs"?`,
    ],
    [
      'a name that means something at many places',
      second({ labels: { a: 'b' } }),
      `${here}.labels: unknown field, ignored`,
    ],
    ['an addition', second({ rank: 1 }), `${here}.rank: unknown field, ignored`],
  ];
  for (const [name, object, expected] of cases) {
    it(name, () => {
      const found = findUnknownFields(engine, object, fieldMeant).map(
        (field) => `${field.path}: ${unknownFieldText(field)}`,
      );
      assert.deepEqual(found, [expected]);
    });
  }
});

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
