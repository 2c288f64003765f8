import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomResourceDefinition } from '@turnsole/kube/schema/definition';
import type { StructuralSchema } from '@turnsole/kube/schema/schema';
import { validate } from '@turnsole/kube/schema/structural';
import { CUSTOM_RESOURCES } from './crds.ts';
import { hasNullableText, withNullableText } from './empty-text.ts';

function definition(openAPIV3Schema: StructuralSchema): CustomResourceDefinition {
  const [first] = CUSTOM_RESOURCES;
  assert.ok(first !== undefined);
  const [version] = first.definition.spec.versions;
  assert.ok(version !== undefined);
  return {
    ...first.definition,
    spec: { ...first.definition.spec, versions: [{ ...version, schema: { openAPIV3Schema } }] },
  };
}

function schemaOf({ spec }: CustomResourceDefinition): StructuralSchema {
  return spec.versions[0]?.schema.openAPIV3Schema ?? {};
}

test('texts become nullable wherever they stand, and nothing else changes', () => {
  const before: StructuralSchema = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', minLength: 1 },
      kind: { type: 'string', enum: ['', 'a'] },
      count: { type: 'integer' },
      list: { type: 'array', items: { type: 'object', properties: { value: { type: 'string' } } } },
      map: { type: 'object', additionalProperties: { type: 'string' } },
      open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      either: { 'x-kubernetes-int-or-string': true },
    },
  };
  const text = { type: 'string', nullable: true };
  assert.deepEqual(schemaOf(withNullableText(definition(before))), {
    type: 'object',
    required: ['name'],
    properties: {
      name: { ...text, minLength: 1 },
      kind: { ...text, enum: ['', 'a'] },
      count: { type: 'integer' },
      list: { type: 'array', items: { type: 'object', properties: { value: text } } },
      map: { type: 'object', additionalProperties: text },
      open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      either: { 'x-kubernetes-int-or-string': true },
    },
  });
});

test('what is checked of a text is checked as before', () => {
  const { properties = {} } = schemaOf(
    withNullableText(
      definition({
        type: 'object',
        properties: {
          name: { type: 'string', minLength: 1 },
          kind: { type: 'string', enum: ['', 'a'] },
        },
      }),
    ),
  );
  const rows: readonly [string, unknown, number][] = [
    ['name', 'x', 0],
    ['name', '', 1],
    ['name', 7, 1],
    ['kind', '', 0],
    ['kind', 'b', 1],
    ['kind', null, 1],
    ['kind', true, 1],
  ];
  for (const [field, value, problems] of rows) {
    assert.equal(
      validate(properties[field] ?? {}, value).length,
      problems,
      `${field}: ${JSON.stringify(value)}`,
    );
  }
});

test('a stored definition tells whether it was changed', () => {
  for (const { definition: strict } of CUSTOM_RESOURCES) {
    assert.equal(hasNullableText(strict), false);
    assert.equal(hasNullableText(withNullableText(strict)), true);
  }
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  assert.equal(hasNullableText(definition(open)), false, 'as upstream has it: no texts at all');
});
