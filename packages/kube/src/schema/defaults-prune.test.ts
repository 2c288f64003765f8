import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyDefaults } from './defaults.ts';
import { prune } from './prune.ts';
import type { StructuralSchema } from './schema.ts';

const schema: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer', default: 1 },
        kept: { type: 'object', properties: { a: { type: 'string' } } },
        list: {
          type: 'array',
          items: { type: 'object', properties: { b: { type: 'string', default: 'x' } } },
        },
      },
    },
  },
};

describe('applyDefaults', () => {
  it('changes a copy and shares what needs no change', () => {
    const value = { spec: { kept: { a: '1' }, list: [{ b: 'y' }, {}] } };
    const before = structuredClone(value);
    const result = applyDefaults(schema, value) as typeof value;
    assert.deepEqual(value, before);
    assert.deepEqual(result.spec.list, [{ b: 'y' }, { b: 'x' }]);
    assert.equal(result.spec.kept, value.spec.kept);
    assert.equal(result.spec.list[0], value.spec.list[0]);
  });

  it('gives the value itself when nothing is missing', () => {
    const value = { spec: { size: 2 } };
    assert.equal(applyDefaults(schema, value), value);
  });

  it('gives every object a default of its own', () => {
    const shared: StructuralSchema = {
      type: 'object',
      properties: { a: { type: 'object', default: { b: [] } } },
    };
    const [first, second] = [applyDefaults(shared, {}), applyDefaults(shared, {})] as { a: unknown }[];
    assert.notEqual(first?.a, second?.a);
  });

  it('does not touch prototypes', () => {
    const strange: StructuralSchema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object","default":{"polluted":true}}}}',
    );
    const result = applyDefaults(strange, {});
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
    assert.deepEqual(Object.keys(result as object), ['__proto__']);
    assert.equal('polluted' in {}, false);
  });
});

describe('prune', () => {
  it('gives what was pruned, and changes a copy', () => {
    const value = { spec: { extra: 1, kept: { a: '1', 'b.c/d': 2 }, list: [{ q: 1 }] }, other: {} };
    const before = structuredClone(value);
    const { value: result, pruned } = prune(schema, value);
    assert.deepEqual(value, before);
    assert.deepEqual(result, { spec: { kept: { a: '1' }, list: [{}] } });
    assert.deepEqual(pruned, ['spec.extra', 'spec.kept["b.c/d"]', 'spec.list[0].q', 'other']);
  });

  it('gives the value itself when nothing is unknown', () => {
    const value = { spec: { size: 1 } };
    assert.equal(prune(schema, value).value, value);
  });

  it('keeps apiVersion, kind and metadata only where a whole object stands', () => {
    const part: StructuralSchema = { type: 'object', properties: {} };
    const whole = { apiVersion: 'v1', kind: 'X', metadata: { name: 'a' } };
    assert.deepEqual(prune(part, whole).pruned, []);
    assert.deepEqual(prune(part, whole, { resourceRoot: false }).pruned, ['apiVersion', 'kind', 'metadata']);
  });
});
