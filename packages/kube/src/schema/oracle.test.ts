/** Our validator and ajv accept and refuse the same values under random schemas. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import type { StructuralSchema } from './schema.ts';
import { validate } from './structural.ts';

// Not `__proto__`: ajv skips a field of that name; the recorded API server shows that it is checked.
const KEYS = ['a', 'b', 'constructor'] as const;
const key = fc.constantFrom(...KEYS);
const text = fc.constantFrom('', 'a', 'ab', 'abc', '😀b');
const number = fc.constantFrom(-2, -1, 0, 0.5, 1, 2, 3, 4);
const small = fc.nat(3);

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constant(null),
    fc.boolean(),
    text,
    number,
    fc.array(tie('any'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('any')), { maxLength: 3 }).map(fromEntries),
  ),
})).any;

function fromEntries(entries: readonly (readonly [string, unknown])[]): unknown {
  return Object.fromEntries(entries);
}

const schema: fc.Arbitrary<StructuralSchema> = fc.letrec<{ node: StructuralSchema }>((tie) => {
  const node = tie('node');
  const nodes = fc.array(node, { minLength: 1, maxLength: 3 });
  const optional = { requiredKeys: [] as [], noNullPrototype: true };
  const combined = fc.record(
    { allOf: nodes, anyOf: nodes, oneOf: nodes, not: node, nullable: fc.boolean() },
    optional,
  );
  const words = fc.record(
    {
      minLength: small,
      maxLength: small,
      pattern: fc.constantFrom('^a', 'b$', '^[ab]*$', '^(a|ab)$'),
      enum: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
      nullable: fc.boolean(),
    },
    optional,
  );
  const numbers = fc.record(
    {
      minimum: number,
      maximum: number,
      exclusiveMinimum: fc.boolean(),
      exclusiveMaximum: fc.boolean(),
      multipleOf: fc.constantFrom(1, 2),
      enum: fc.uniqueArray(number, { minLength: 1, maxLength: 4 }),
      nullable: fc.boolean(),
    },
    optional,
  );
  const lists = fc.record(
    { items: node, minItems: small, maxItems: small, uniqueItems: fc.boolean(), nullable: fc.boolean() },
    optional,
  );
  const objects = fc.record(
    {
      properties: fc
        .array(fc.tuple(key, node), { maxLength: 3 })
        .map((entries) => Object.fromEntries(entries)),
      required: fc.uniqueArray(key, { maxLength: 2 }),
      additionalProperties: fc.oneof(fc.boolean(), node),
      minProperties: small,
      maxProperties: small,
      nullable: fc.boolean(),
    },
    optional,
  );
  const typed = (type: string, rest: fc.Arbitrary<object>) => rest.map((more) => ({ type, ...more }));
  return {
    node: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      typed('string', words),
      typed('integer', numbers),
      typed('number', numbers),
      typed('boolean', fc.record({ nullable: fc.boolean() }, optional)),
      fc.constant<StructuralSchema>({ 'x-kubernetes-int-or-string': true }),
      fc.constant<StructuralSchema>({}),
      typed('array', lists),
      typed('object', objects),
      combined,
    ),
  };
}).node;

/** Values of the right type all the way down, so that the finer words of a schema are reached often. */
function shaped(source: StructuralSchema): fc.Arbitrary<unknown> {
  switch (source.type) {
    case 'string':
      return text;
    case 'integer':
    case 'number':
      return number;
    case 'array':
      return fc.array(source.items === undefined ? value : shaped(source.items), { maxLength: 4 });
    case 'object': {
      const entries = KEYS.map((name) => {
        const properties = source.properties ?? {};
        const inner = Object.hasOwn(properties, name) ? properties[name] : source.additionalProperties;
        return fc.tuple(fc.constant(name), typeof inner === 'object' ? shaped(inner) : value);
      });
      return fc.tuple(...entries).chain((all) => fc.subarray(all).map(fromEntries));
    }
    default:
      return value;
  }
}

const schemaWithValues = schema.chain((structural) =>
  fc.tuple(
    fc.constant(structural),
    fc.array(fc.oneof({ arbitrary: shaped(structural), weight: 4 }, value), { minLength: 4, maxLength: 12 }),
  ),
);

/** The same schema in JSON Schema draft 7. */
function forAjv(source: StructuralSchema): Record<string, unknown> {
  const target: Record<string, unknown> = {};
  for (const [name, word] of Object.entries(source)) {
    if (name === 'nullable' || name.startsWith('exclusive')) continue;
    if (name === 'x-kubernetes-int-or-string') target.type = ['integer', 'string'];
    else if (name === 'properties') {
      const entries = Object.entries(word as Record<string, StructuralSchema>);
      target[name] = Object.fromEntries(entries.map(([field, inner]) => [field, forAjv(inner)]));
    } else if (['allOf', 'anyOf', 'oneOf'].includes(name)) {
      target[name] = (word as StructuralSchema[]).map(forAjv);
    } else if (
      ['items', 'not'].includes(name) ||
      (name === 'additionalProperties' && typeof word === 'object')
    ) {
      target[name] = forAjv(word as StructuralSchema);
    } else target[name] = word;
  }
  if (source.nullable === true && source.type !== undefined) target.type = [source.type, 'null'];
  for (const [limit, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (source[exclusive] === true && source[limit] !== undefined) target[exclusive] = source[limit];
  }
  return target;
}

it('accepts and refuses what ajv does', () => {
  const ajv = new Ajv({ strict: false, ownProperties: true, addUsedSchema: false });
  const count = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(schemaWithValues, ([structural, values]) => {
      const accepts = ajv.compile(forAjv(structural));
      for (const candidate of values) {
        const errors = validate(structural, candidate);
        count[errors.length === 0 ? 'accepted' : 'refused'] += 1;
        assert.equal(errors.length === 0, accepts(candidate), JSON.stringify({ candidate, errors }));
      }
    }),
    { numRuns: 1000 },
  );
  // A comparison in which one side never occurs would show nothing.
  assert.ok(count.accepted > 0 && count.refused > 0, JSON.stringify(count));
});
