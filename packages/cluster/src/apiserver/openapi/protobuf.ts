/**
 * The OpenAPI v2 document in the form in which compiled clients ask for it. kubectl before 1.24 cannot apply without it.
 *
 * Source: github.com/google/gnostic-models, openapiv2/OpenAPIv2.proto (field numbers); protobuf.dev, Encoding (the wire
 * format). Written are the parts that such clients read: paths with their operations' parameters, and definitions.
 */
import { asJson, type Json } from '../object.ts';

/** The media type that such clients accept. */
export const OPENAPI_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** The media type of the answer: `@` is not allowed there (as kube-apiserver answers). */
export const OPENAPI_PROTOBUF_ANSWER = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** How a property is written: as a scalar, a message, a list of either, or the names of an object with their values. */
type Form =
  | 'string'
  | 'bool'
  | 'int'
  | 'double'
  /** Any value, as text in YAML; JSON is such. */
  | 'any'
  | { readonly message: MessageName }
  | { readonly repeated: Form }
  | { readonly named: MessageName }
  /** One of several forms, wrapped in a message with a field for each. */
  | { readonly within: readonly number[]; readonly form: Form }
  | { readonly schemaOrBoolean: true }
  | { readonly oneOrMore: Form };

type MessageName = 'document' | 'info' | 'path' | 'operation' | 'parameter' | 'schema';

interface Message {
  readonly fields: Readonly<Record<string, readonly [number: number, form: Form]>>;
  /** Field of what begins with `x-`. */
  readonly extensions?: number;
}

const schema: Form = { message: 'schema' };
const operation: Form = { message: 'operation' };
/** ParametersItem.parameter, Parameter.non_body_parameter, NonBodyParameter.query_parameter_sub_schema. */
const parameters: Form = { repeated: { within: [1, 2, 3], form: { message: 'parameter' } } };

const MESSAGES: Readonly<Record<MessageName, Message>> = {
  document: {
    fields: {
      swagger: [1, 'string'],
      info: [2, { message: 'info' }],
      // Paths.path and Definitions.additional_properties are the lists in these.
      paths: [8, { within: [2], form: { named: 'path' } }],
      definitions: [9, { within: [1], form: { named: 'schema' } }],
    },
  },
  info: { fields: { title: [1, 'string'], version: [2, 'string'] } },
  path: {
    fields: {
      get: [2, operation],
      put: [3, operation],
      post: [4, operation],
      delete: [5, operation],
      patch: [8, operation],
    },
  },
  operation: { fields: { parameters: [8, parameters] }, extensions: 13 },
  parameter: { fields: { in: [2, 'string'], name: [4, 'string'], type: [6, 'string'] } },
  schema: {
    fields: {
      $ref: [1, 'string'],
      format: [2, 'string'],
      title: [3, 'string'],
      description: [4, 'string'],
      default: [5, 'any'],
      multipleOf: [6, 'double'],
      maximum: [7, 'double'],
      exclusiveMaximum: [8, 'bool'],
      minimum: [9, 'double'],
      exclusiveMinimum: [10, 'bool'],
      maxLength: [11, 'int'],
      minLength: [12, 'int'],
      pattern: [13, 'string'],
      maxItems: [14, 'int'],
      minItems: [15, 'int'],
      uniqueItems: [16, 'bool'],
      maxProperties: [17, 'int'],
      minProperties: [18, 'int'],
      required: [19, { repeated: 'string' }],
      enum: [20, { repeated: 'any' }],
      additionalProperties: [21, { schemaOrBoolean: true }],
      type: [22, { within: [1], form: { oneOrMore: 'string' } }],
      items: [23, { within: [1], form: schema }],
      allOf: [24, { repeated: schema }],
      properties: [25, { within: [1], form: { named: 'schema' } }],
    },
    extensions: 31,
  },
};

/** Field numbers of the messages that hold a name and a value, and of a value's text. */
const NAME = 1;
const VALUE = 2;
const ANY_YAML = 2;
const SCHEMA = 1;
const BOOLEAN = 2;

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

/** A document of {@link documentV2} as bytes; pure. What the form has no place for is left out. */
export function encodeDocument(document: Json): Buffer {
  return Buffer.concat(messageParts('document', document));
}

function messageParts(name: MessageName, value: Json): Buffer[] {
  const { fields, extensions } = MESSAGES[name];
  const written = name === 'schema' ? withoutNullable(value) : value;
  return Object.entries(written).flatMap(([key, inner]) => {
    const field = fields[key];
    if (field !== undefined) return fieldParts(field[0], field[1], inner);
    if (extensions === undefined || !key.startsWith('x-')) return [];
    return block(extensions, [...fieldParts(NAME, 'string', key), ...fieldParts(VALUE, 'any', inner)]);
  });
}

/** The older form knows no null: what may be null is of no type in it, as kube-apiserver has it. */
function withoutNullable(value: Json): Json {
  if (value.nullable !== true) return value;
  const { type, items, properties, ...rest } = value;
  return rest;
}

function fieldParts(number: number, form: Form, value: unknown): Buffer[] {
  if (value === undefined || value === null) return [];
  if (typeof form === 'string') return scalarParts(number, form, value);
  if ('message' in form) return block(number, messageParts(form.message, asJson(value)));
  if ('repeated' in form) return listOf(value).flatMap((item) => fieldParts(number, form.repeated, item));
  if ('oneOrMore' in form) {
    return [value].flat().flatMap((item) => fieldParts(number, form.oneOrMore, item));
  }
  if ('named' in form) {
    return Object.entries(asJson(value)).flatMap(([key, inner]) =>
      block(number, [
        ...fieldParts(NAME, 'string', key),
        ...fieldParts(VALUE, { message: form.named }, inner),
      ]),
    );
  }
  if ('within' in form) {
    const [first, ...rest] = form.within;
    // The last number is the field inside: wrapped lists have one entry for each item there.
    const inner: Form = rest.length === 0 ? form.form : { within: rest, form: form.form };
    return block(number, fieldParts(first ?? NAME, inner, value));
  }
  return typeof value === 'boolean'
    ? block(number, fieldParts(BOOLEAN, 'bool', value))
    : block(number, fieldParts(SCHEMA, schema, value));
}

function scalarParts(
  number: number,
  form: 'string' | 'bool' | 'int' | 'double' | 'any',
  value: unknown,
): Buffer[] {
  switch (form) {
    case 'string':
      return block(number, [Buffer.from(String(value))]);
    case 'bool':
      return [tag(number, VARINT), varint(value === true ? 1 : 0)];
    case 'int':
      return [tag(number, VARINT), varint(Math.max(0, Math.trunc(Number(value))))];
    case 'double': {
      const bytes = Buffer.alloc(8);
      bytes.writeDoubleLE(Number(value));
      return [tag(number, FIXED64), bytes];
    }
    case 'any':
      return block(number, block(ANY_YAML, [Buffer.from(JSON.stringify(value))]));
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** More pieces than these are joined at once: a million of them weighed thirty times what they hold. */
const MAX_PARTS = 64;

function block(number: number, parts: readonly Buffer[]): Buffer[] {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const content = parts.length > MAX_PARTS ? [Buffer.concat(parts, length)] : parts;
  return [tag(number, BYTES), varint(length), ...content];
}

const TAGS = new Map<number, Buffer>();

/** Cached: they are few, and all of them are written again and again. */
function tag(number: number, wireType: number): Buffer {
  const value = number * 8 + wireType;
  let bytes = TAGS.get(value);
  if (bytes === undefined) {
    bytes = varint(value);
    TAGS.set(value, bytes);
  }
  return bytes;
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
