import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isObject } from '../text/json.ts';
import { applyDefaults } from './defaults.ts';
import { type FieldError, fieldErrorBody, formatFieldError, plainFieldError } from './field-error.ts';
import { prune } from './prune.ts';
import type { StructuralSchema } from './schema.ts';
import { MAX_SCHEMA_DEPTH, validate } from './structural.ts';
import recorded from './test-data/recorded-validation.json' with { type: 'json' };

const schema: StructuralSchema = {
  type: 'object',
  properties: { spec: recorded.schema as StructuralSchema },
};

/** What our API server would do: fill in defaults, prune, validate. */
function admit(spec: unknown): { stored: unknown; errors: FieldError[] } {
  const defaulted = applyDefaults(schema, { spec });
  const { value } = prune(schema, defaulted);
  return { stored: (value as { spec: unknown }).spec, errors: validate(schema, value) };
}

/**
 * One of our errors in the words of the recorded version (1.20): it had no list indexes in paths, `<nil>` for
 * combinations, and the plain sentence where later versions say "Too long" and "Too many".
 */
function asRecorded(error: FieldError): string {
  const isCombination = /^".*" must (not )?validate/.test(error.detail);
  const isDuplicate = error.type === 'FieldValueDuplicate';
  let path = '';
  for (const segment of error.segments) {
    if (typeof segment === 'number') path += isDuplicate ? `[${segment}]` : '';
    else path += path === '' ? segment : `.${segment}`;
  }
  let body = fieldErrorBody(error);
  const value = JSON.stringify(error.badValue);
  if (isDuplicate && isObject(error.badValue)) {
    // It printed Go's maps.
    const pairs = Object.entries(error.badValue).map(([key, item]) => `"${key}":${JSON.stringify(item)}`);
    body = `Duplicate value: map[string]interface {}{${pairs.join(', ')}}`;
  }
  const limit = /\d+/.exec(error.detail)?.[0];
  if (error.type === 'FieldValueTooLong') {
    body = `Invalid value: ${value}: ${path} in body should be at most ${limit} chars long`;
  } else if (error.type === 'FieldValueTooMany') {
    body = `Invalid value: ${value}: ${path} in body should have at most ${limit} items`;
  } else if (error.detail.includes('properties')) {
    // It showed the limit instead of the value.
    body = `Invalid value: ${/\d+/.exec(error.detail)?.[0]}: ${error.detail}`;
  }
  return `${isCombination ? '<nil>' : path}: ${body.replaceAll(error.path, path)}`;
}

/** The recorded answers report a value of the wrong type again as unsupported or failing a combination; we do not. */
function withoutFollowUps(errors: readonly string[]): string[] {
  const wrongTypes = errors.filter((text) => text.includes('must be of type integer,string'));
  if (wrongTypes.length > 0) return wrongTypes;
  const typed = errors.filter((text) => text.includes('must be of type')).map((text) => text.split(':')[0]);
  return errors.filter((text) => !text.includes('Unsupported value') || !typed.includes(text.split(':')[0]));
}

describe('validate agrees with the recorded API server', () => {
  for (const { spec, stored, errors } of recorded.cases as {
    spec: unknown;
    stored?: unknown;
    errors?: string[];
  }[]) {
    it(JSON.stringify(spec), () => {
      const ours = admit(spec);
      if (errors === undefined) {
        assert.deepEqual(ours.errors.map(formatFieldError), []);
        assert.deepEqual(ours.stored, stored);
      } else {
        assert.deepEqual(ours.errors.map(asRecorded).sort(), withoutFollowUps(errors).sort());
      }
    });
  }
});

describe('validate', () => {
  const engine: StructuralSchema = {
    type: 'object',
    required: ['experiments'],
    properties: {
      experiments: {
        type: 'array',
        items: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string' },
            'httpProbe/inputs': { type: 'object', properties: { url: { type: 'string' } } },
          },
        },
      },
    },
  };

  it('reports every problem at once, with indexes and quoted names', () => {
    const value = { experiments: [{ name: 1 }, { 'httpProbe/inputs': { url: false } }, 'x'] };
    assert.deepEqual(validate(engine, value).map(formatFieldError), [
      'experiments[0].name: Invalid value: "integer": experiments[0].name in body must be of type string: "integer"',
      'experiments[1].name: Required value',
      'experiments[1]["httpProbe/inputs"].url: Invalid value: "boolean": ' +
        'experiments[1]["httpProbe/inputs"].url in body must be of type string: "boolean"',
      'experiments[2]: Invalid value: "string": experiments[2] in body must be of type object: "string"',
    ]);
  });

  it('gives path, segments, type and value for programs', () => {
    const [error] = validate(engine, { experiments: [{}] });
    assert.deepEqual(error, {
      path: 'experiments[0].name',
      segments: ['experiments', 0, 'name'],
      type: 'FieldValueRequired',
      badValue: undefined,
      detail: '',
    });
  });

  it('takes a field whose value is undefined as absent', () => {
    assert.equal(validate(engine, { experiments: undefined })[0]?.type, 'FieldValueRequired');
  });

  it('looks only at own fields', () => {
    const strict: StructuralSchema = { type: 'object', required: ['constructor', 'toString'] };
    assert.deepEqual(
      validate(strict, {}).map((error) => error.path),
      ['constructor', 'toString'],
    );
    const described: StructuralSchema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}}}',
    );
    assert.equal(validate(described, JSON.parse('{"__proto__":1}')).length, 1);
    assert.deepEqual(
      validate({ type: 'object', properties: {} }, JSON.parse('{"constructor":1,"__proto__":2}')),
      [],
    );
  });

  it('says that a pattern cannot be checked instead of throwing', () => {
    const [error] = validate({ type: 'string', pattern: '(?=x)' }, 'x');
    assert.match(error?.detail ?? '', /cannot be checked: pattern "\(\?=x\)" does not compile/);
  });

  it('survives deep values and refuses deep schemas', () => {
    let value: unknown = 1;
    for (let depth = 0; depth < 100_000; depth += 1) value = { a: value };
    const free: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    assert.deepEqual(validate(free, value), []);
    let deep: StructuralSchema = { type: 'object' };
    for (let depth = 0; depth < 10_000; depth += 1) deep = { type: 'object', properties: { a: deep } };
    assert.match(
      validate(deep, value)[0]?.detail ?? '',
      new RegExp(`nested deeper than ${MAX_SCHEMA_DEPTH}`),
    );
  });

  it('checks forbidden, unique and embedded parts', () => {
    assert.deepEqual(
      validate({ type: 'object', additionalProperties: false }, { a: 1 }).map(formatFieldError),
      ['a: Invalid value: 1: a in body is a forbidden property'],
    );
    assert.equal(
      validate({ type: 'array', uniqueItems: true }, [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]).length,
      1,
    );
    const embedded: StructuralSchema = { type: 'object', 'x-kubernetes-embedded-resource': true };
    assert.deepEqual(
      validate(embedded, { apiVersion: 'v1', kind: 5, metadata: [] }).map((error) => error.path),
      ['kind', 'metadata'],
    );
  });
});

it('problems are described in words of JSON', () => {
  const list: StructuralSchema = { type: 'array' };
  const mixed: StructuralSchema = {
    type: 'object',
    properties: { a: list, b: { enum: ['x'] }, c: { type: 'integer' } },
  };
  assert.deepEqual(validate(mixed, { a: { k: 1 }, b: ['container-kill'], c: null }).map(plainFieldError), [
    'a: must be of type array, and is of type object',
    'b: Unsupported value: ["container-kill"]: supported values: "x"',
    'c: must be of type integer, and is of type null',
  ]);
});

describe('what is as it was', () => {
  const named: StructuralSchema = {
    type: 'object',
    properties: { name: { type: 'string' }, size: { type: 'integer', maximum: 5 } },
  };
  const tight: StructuralSchema = {
    type: 'object',
    required: ['must'],
    properties: {
      must: { type: 'integer' },
      word: { type: 'string', maxLength: 2 },
      part: {
        type: 'object',
        required: ['x'],
        properties: { x: { type: 'integer' }, y: { type: 'integer' } },
      },
      plain: { type: 'array', items: named },
      keyed: {
        type: 'array',
        items: named,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
      set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      either: { anyOf: [{ properties: { a: { enum: [1] } } }, { properties: { a: { enum: [2] } } }] },
    },
  };
  const big = { name: 'a', size: 9 };
  const rows: readonly (readonly [title: string, old: unknown, value: unknown, paths: readonly string[]])[] =
    [
      ['a value', { must: 1, word: 'long' }, { must: 2, word: 'long' }, []],
      ['another value', { must: 1, word: 'long' }, { must: 1, word: 'other' }, ['word']],
      ['a value that was not there', { must: 1 }, { must: 1, word: 'long' }, ['word']],
      ['all of it', { word: 'long' }, { word: 'long' }, []],
      ['a field that is missing as before, beside a change', { word: 'a' }, { word: 'b' }, ['must']],
      ['an object', { must: 1, part: { y: 1 } }, { must: 2, part: { y: 1 } }, []],
      ['an object with a change', { must: 1, part: { y: 1 } }, { must: 1, part: { y: 2 } }, ['part.x']],
      ['a list', { must: 1, plain: [big] }, { must: 2, plain: [big] }, []],
      [
        'a list that grows',
        { must: 1, plain: [big] },
        { must: 1, plain: [big, { size: 1 }] },
        ['plain[0].size'],
      ],
      ['an item with keys', { must: 1, keyed: [big] }, { must: 1, keyed: [{ name: 'b', size: 1 }, big] }, []],
      [
        'another item with keys',
        { must: 1, keyed: [big] },
        { must: 1, keyed: [{ name: 'b', size: 9 }, big] },
        ['keyed[0].size'],
      ],
      ['a set with repetitions', { must: 1, set: ['a', 'a'] }, { must: 1, set: ['a', 'a'] }, ['set[1]']],
      ['choices', { must: 1, either: { a: 3 } }, { must: 2, either: { a: 3 } }, []],
      [
        'choices with a change beside',
        { must: 1, either: { a: 3 } },
        { must: 1, either: { a: 3, b: 1 } },
        ['either', 'either.a'],
      ],
    ];
  for (const [title, old, value, paths] of rows) {
    it(title, () => {
      assert.deepEqual(
        validate(tight, value, old).map(({ path }) => path),
        paths,
      );
    });
  }
});
