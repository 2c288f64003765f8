/**
 * Decodes JSON into a built-in kind as a typed server does: wrong types are refused, unknown fields dropped and
 * reported, empty optional fields left out, quantities put in canonical form. The result has the types that the
 * kind's interface says, so the code behind may rely on them.
 */

import {
  goName,
  type Struct,
  structOf,
  type Type,
  type TypeField,
} from '@turnsole/kube/schema/kubernetes/types';
import { formatQuantity, parseQuantity, QuantityError } from '@turnsole/kube/text/quantity';
import { metaTime } from '@turnsole/kube/text/time';
import { isJson, type Json } from '../object.ts';

/** A value of the wrong type or form; the message is that of the real server's decoder. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** A decoded value and the paths of the fields that its type does not have. */
interface Decoded {
  readonly value: Json;
  readonly unknown: readonly string[];
}

/** Decodes `value` as the struct `typeName`. The input is not changed. Throws {@link DecodeError}. */
export function decodeStruct(typeName: string, value: unknown): Decoded {
  const struct = structOf(typeName);
  if (struct === undefined) throw new Error(`type ${typeName} is not known`);
  const walk: Walk = { path: [], unknown: [], indexed: [] };
  return { value: visitStruct(struct, value, walk, true), unknown: walk.unknown };
}

/** What says its version and kind also within another object: claim templates of stateful sets, options of an eviction. */
const SELF_DESCRIBED: ReadonlySet<string> = new Set([
  'core.v1.PersistentVolumeClaim',
  'meta.v1.DeleteOptions',
]);

interface Walk {
  /** Names only: the decoder's messages leave indexes out. */
  readonly path: string[];
  /** With indexes, for reports of unknown fields. */
  readonly indexed: string[];
  readonly unknown: string[];
}

function visitStruct(struct: Struct, value: unknown, walk: Walk, isRoot = false): Json {
  if (!isJson(value)) throw wrongType(value, `v1.${struct.name.split('.').at(-1) ?? ''}`, struct, walk);
  const decoded: Json = {};
  for (const key of Object.keys(value)) {
    const field = struct.fields.get(key);
    if (field === undefined) {
      const isType = key === 'apiVersion' || key === 'kind';
      if (isType && (isRoot || SELF_DESCRIBED.has(struct.name))) decoded[key] = value[key];
      else walk.unknown.push([...walk.indexed, key].join('.'));
      continue;
    }
    const found = value[key];
    if (found === null) continue;
    walk.path.push(key);
    walk.indexed.push(key);
    const next = visit(field.type, found, walk, struct);
    walk.path.pop();
    walk.indexed.pop();
    if (!isOmitted(field, next)) decoded[key] = next;
  }
  for (const [name, zero] of zerosOf(struct)) if (decoded[name] === undefined) decoded[name] = zero();
  return decoded;
}

function visit(type: Type, value: unknown, walk: Walk, parent: Struct): unknown {
  switch (type.kind) {
    case 'scalar':
      return visitScalar(type.letter, value, walk, parent);
    case 'struct': {
      const struct = structOf(type.name);
      return struct === undefined ? value : visitStruct(struct, value, walk);
    }
    case 'list':
      if (!Array.isArray(value)) throw wrongType(value, goName(type), parent, walk);
      return visitItems(type.of, value, walk, parent);
    case 'map': {
      if (!isJson(value)) throw wrongType(value, goName(type), parent, walk);
      const decoded: Json = {};
      for (const key of Object.keys(value)) {
        walk.indexed.push(key);
        const item = value[key];
        decoded[key] = item === null ? zeroOf(type.of) : visit(type.of, item, walk, parent);
        walk.indexed.pop();
      }
      return decoded;
    }
  }
}

function visitItems(type: Type, value: readonly unknown[], walk: Walk, parent: Struct): unknown[] {
  const last = walk.indexed.length - 1;
  const name = walk.indexed[last] ?? '';
  const decoded = value.map((item, index) => {
    walk.indexed[last] = `${name}[${index}]`;
    return item === null ? zeroOf(type) : visit(type, item, walk, parent);
  });
  walk.indexed[last] = name;
  return decoded;
}

function visitScalar(letter: string, value: unknown, walk: Walk, parent: Struct): unknown {
  const wrong = (): DecodeError => wrongType(value, goName({ kind: 'scalar', letter }), parent, walk);
  switch (letter) {
    case 's':
      if (typeof value !== 'string') throw wrong();
      return value;
    case 'b':
      if (typeof value !== 'boolean') throw wrong();
      return value;
    case 'i':
    case 'l':
      if (typeof value !== 'number') throw wrong();
      if (!Number.isInteger(value) || (letter === 'i' && Math.abs(value) > 0x7fffffff)) {
        throw new DecodeError(
          `json: cannot unmarshal number ${value} into Go struct field ${where(parent, walk)} of type ${goName({ kind: 'scalar', letter })}`,
        );
      }
      return value;
    case 'd':
      if (typeof value !== 'number') throw wrong();
      return value;
    case 'y':
      if (typeof value !== 'string') throw wrong();
      checkBase64(value);
      return value;
    case 'T':
    case 'M':
      if (typeof value !== 'string') throw wrong();
      return normaliseTime(value, letter === 'M');
    case 'Q':
      return normaliseQuantity(value);
    case 'I':
      if (typeof value === 'string') return value;
      if (typeof value === 'number' && Number.isInteger(value)) return value;
      throw wrong();
    case 'D':
      if (typeof value !== 'string') throw wrong();
      return value;
    default:
      return value;
  }
}

function checkBase64(value: string): void {
  const match = /[^A-Za-z0-9+/=\r\n]/.exec(value);
  if (match !== null) throw new DecodeError(`illegal base64 data at input byte ${match.index}`);
  if (value.replaceAll(/[\r\n]/g, '').length % 4 !== 0) {
    throw new DecodeError(`illegal base64 data at input byte ${value.length}`);
  }
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function normaliseTime(value: string, hasMicroseconds: boolean): string {
  const match = TIME.exec(value);
  const at = Date.parse(value);
  if (match === null || Number.isNaN(at)) {
    throw new DecodeError(
      `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(value)} as "2006"`,
    );
  }
  const time = metaTime(at);
  if (!hasMicroseconds) return time;
  return `${time.slice(0, -1)}.${(match[1] ?? '.').slice(1, 7).padEnd(6, '0')}Z`;
}

function normaliseQuantity(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') throw new DecodeError(QUANTITY_WORDS);
  try {
    return formatQuantity(parseQuantity(String(value)));
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    throw new DecodeError(QUANTITY_WORDS, { cause: error });
  }
}

const QUANTITY_WORDS =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Whether Go's encoder would leave the value out. */
function isOmitted(field: TypeField, value: unknown): boolean {
  if (!field.omitEmpty) return false;
  if (Array.isArray(value)) return value.length === 0;
  if (field.isPointer) return false;
  if (value === '' || value === 0 || value === false) return true;
  return field.type.kind === 'map' && isJson(value) && Object.keys(value).length === 0;
}

type Zero = readonly [name: string, make: () => unknown];
const zeros = new Map<Struct, readonly Zero[]>();

/** Fields that are always there: what has no omitempty, times, and structs that are no pointers. */
function zerosOf(struct: Struct): readonly Zero[] {
  const known = zeros.get(struct);
  if (known !== undefined) return known;
  const made: Zero[] = [];
  // Known before it is complete, for types that contain themselves.
  zeros.set(struct, made);
  for (const { name, type, omitEmpty, isPointer } of struct.fields.values()) {
    if (isPointer) continue;
    if (type.kind === 'struct') {
      if (name !== 'metadata' || struct.name.includes('Template'))
        made.push([name, () => emptyStruct(type.name)]);
    } else if (type.kind === 'list') {
      if (!omitEmpty) made.push([name, () => null]);
    } else if (type.kind === 'scalar') {
      const isTime = type.letter === 'T' || type.letter === 'M';
      if (isTime ? struct.name !== 'meta.v1.ObjectMeta' : !omitEmpty && 'sbild'.includes(type.letter)) {
        made.push([name, () => zeroOf(type)]);
      }
    }
  }
  return made;
}

/** The form of an absent struct that is no pointer: its own fields that are always present. */
function emptyStruct(name: string): Json {
  const struct = structOf(name);
  const empty: Json = {};
  for (const [field, zero] of struct === undefined ? [] : zerosOf(struct)) empty[field] = zero();
  return empty;
}

function zeroOf(type: Type): unknown {
  if (type.kind === 'list') return [];
  if (type.kind !== 'scalar') return {};
  switch (type.letter) {
    case 'b':
      return false;
    case 'i':
    case 'l':
    case 'd':
    case 'I':
      return 0;
    case 'Q':
      return '0';
    case 'T':
    case 'M':
      return null;
    default:
      return '';
  }
}

function where(parent: Struct, walk: Walk): string {
  return `${parent.name.split('.').at(-1)}.${walk.path.join('.')}`;
}

function wrongType(value: unknown, expected: string, parent: Struct, walk: Walk): DecodeError {
  const found = Array.isArray(value)
    ? 'array'
    : isJson(value)
      ? 'object'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
  if (walk.path.length === 0) {
    return new DecodeError(`json: cannot unmarshal ${found} into Go value of type ${expected}`);
  }
  return new DecodeError(
    `json: cannot unmarshal ${found} into Go struct field ${where(parent, walk)} of type ${expected}`,
  );
}
