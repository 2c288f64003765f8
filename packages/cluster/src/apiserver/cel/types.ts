/** Types of expressions from schemas, and values of these types from JSON. Source: kubernetes.io, Validation rules, OpenAPI to CEL types. */
import type { Environment } from '@marcbachmann/cel-js';
import { propertySchema, type StructuralSchema } from '@turnsole/kube/schema/schema';
import { isJson, type Json } from '../object.ts';
import { CelError, isSame } from './environment.ts';

/** The type that expressions see. */
export interface CelType {
  readonly name: string;
  /** A valid value as an expression sees it. */
  readonly convert: (value: unknown) => unknown;
}

const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const SYMBOLS: readonly (readonly [from: RegExp, to: string])[] = [
  [/__/g, '__underscores__'],
  [/\./g, '__dot__'],
  [/-/g, '__dash__'],
  [/\//g, '__slash__'],
];

/** A field's name as expressions write it; undefined for one that they cannot write. Pure. */
export function escapeField(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_.\-/][A-Za-z0-9_.\-/]*$/.test(name)) return undefined;
  return SYMBOLS.reduce((text, [from, to]) => text.replace(from, to), name);
}

/** JSON without a schema: objects become maps, whole numbers integers. */
export function fromJson(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(fromJson);
  if (isJson(value)) return new Map(Object.entries(value).map(([key, item]) => [key, fromJson(item)]));
  return value ?? null;
}

/** What an expression gave, as JSON. @throws CelError for what JSON cannot hold */
export function toJson(value: unknown): unknown {
  switch (typeof value) {
    case 'bigint':
      return Number(value);
    case 'string':
    case 'boolean':
    case 'number':
      return value;
    case 'object':
      return objectToJson(value);
    default:
      throw new CelError(`a value of type ${typeof value} cannot be written as JSON`);
  }
}

function objectToJson(value: object | null): unknown {
  if (value === null) return null;
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, item]) => [String(key), toJson(item)]));
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  const plain: unknown = value.valueOf();
  if (typeof plain === 'bigint') return Number(plain);
  if (Object.getPrototypeOf(value) === Object.prototype)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toJson(item)]));
  throw new CelError(`a ${value.constructor.name} cannot be written as JSON`);
}

const DYNAMIC: CelType = { name: 'dyn', convert: fromJson };

const METADATA: StructuralSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, generateName: { type: 'string' } },
};

/** Makes types of an environment out of schemas. */
export class TypeMaker {
  readonly #environment: Environment;
  readonly #durations: (text: string) => unknown;
  #count = 0;

  constructor(environment: Environment, durations: (text: string) => unknown) {
    this.#environment = environment;
    this.#durations = durations;
  }

  /** The type of a schema's values; undefined for what expressions cannot see. `isWhole`: an object with metadata of its own. */
  of(
    schema: StructuralSchema,
    isWhole = schema['x-kubernetes-embedded-resource'] === true,
  ): CelType | undefined {
    if (schema['x-kubernetes-int-or-string'] === true) return DYNAMIC;
    const type = this.#ofType(schema, isWhole);
    // A type has no null, so a field that may be null has none of its own.
    return type !== undefined && schema.nullable === true ? { ...type, name: 'dyn' } : type;
  }

  #ofType(schema: StructuralSchema, isWhole: boolean): CelType | undefined {
    switch (schema.type) {
      case 'object':
        return this.#object(schema, isWhole);
      case 'array': {
        const item = schema.items === undefined ? undefined : this.of(schema.items);
        if (item === undefined) return undefined;
        return {
          name: `list<${item.name}>`,
          convert: (value) => (Array.isArray(value) ? value.map(item.convert) : null),
        };
      }
      case 'string':
        return this.#text(schema.format);
      case 'integer':
        return {
          name: 'int',
          convert: (value) => (typeof value === 'number' ? BigInt(Math.trunc(value)) : value),
        };
      case 'number':
        return { name: 'double', convert: (value) => value };
      case 'boolean':
        return { name: 'bool', convert: (value) => value };
      default:
        return undefined;
    }
  }

  #text(format: string | undefined): CelType {
    const of = (name: string, read: (text: string) => unknown): CelType => ({
      name,
      convert: (value) => (typeof value === 'string' ? read(value) : null),
    });
    switch (format) {
      case 'byte':
        return of('bytes', (text) => new Uint8Array(Buffer.from(text, 'base64')));
      case 'duration':
        return of('google.protobuf.Duration', this.#durations);
      case 'date':
      case 'date-time':
        return of('google.protobuf.Timestamp', (text) => new Date(text));
      default:
        return { name: 'string', convert: (value) => value };
    }
  }

  #object(schema: StructuralSchema, isWhole: boolean): CelType | undefined {
    const { additionalProperties: more, properties = {} } = schema;
    if (typeof more === 'object') {
      const value = this.of(more);
      return value && { name: `map<string, ${value.name}>`, convert: (object) => mapOf(object, value) };
    }
    const all = isWhole
      ? { ...properties, apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: METADATA }
      : properties;
    const fields = new Map<string, { readonly escaped: string; readonly type: CelType }>();
    for (const name of Object.keys(all)) {
      const found = propertySchema({ properties: all }, name);
      const type = found === undefined ? undefined : this.of(found);
      const escaped = escapeField(name);
      if (type !== undefined && escaped !== undefined) fields.set(name, { escaped, type });
    }
    return this.#register(fields);
  }

  #register(fields: ReadonlyMap<string, { readonly escaped: string; readonly type: CelType }>): CelType {
    this.#count += 1;
    const name = `kubernetes.Object${this.#count}`;
    // The language distinguishes types by their classes.
    const Shape = class {};
    const declared = Object.fromEntries(
      [...fields.values()].map(({ escaped, type }) => [escaped, type.name]),
    );
    this.#environment
      .registerType(name, { ctor: Shape, fields: declared })
      .registerOperator(`${name} == ${name}`, isSame);
    const convert = (value: unknown): unknown => {
      if (!isJson(value)) return null;
      const shape = new Shape();
      for (const [field, { escaped, type }] of fields) {
        const own = ownValue(value, field);
        if (own !== undefined)
          Object.defineProperty(shape, escaped, { value: type.convert(own), enumerable: true });
      }
      return shape;
    };
    return { name, convert };
  }
}

function ownValue(object: Json, field: string): unknown {
  return Object.hasOwn(object, field) ? object[field] : undefined;
}

function mapOf(value: unknown, type: CelType): unknown {
  if (!isJson(value)) return null;
  return new Map(Object.entries(value).map(([key, item]) => [key, type.convert(item)]));
}
