/**
 * Reads Kubernetes' protobuf bodies, which compiled clients send for built-in kinds. Answers are always JSON: such
 * clients accept both.
 *
 * Source: kubernetes.io, API concepts, Protobuf encoding (the envelope); protobuf.dev, Encoding (the wire format).
 */

import { type Struct, structOf, type Type } from '@turnsole/kube/schema/kubernetes/types';
import { metaTime } from '@turnsole/kube/text/time';
import type { Json } from '../object.ts';

/** Bytes that are no message of the expected type. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

/** The envelope's content: what kind it says it is, and the bytes of the object. */
interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Buffer;
}

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** Opens the envelope around an object. Throws {@link ProtobufError}. */
export function openEnvelope(body: Buffer): Envelope {
  if (!body.subarray(0, 4).equals(MAGIC))
    throw new ProtobufError(
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    );
  let apiVersion = '';
  let kind = '';
  let raw: Buffer = Buffer.alloc(0);
  for (const { number, bytes } of fieldsOf(body.subarray(4))) {
    if (number === 2) raw = bytes;
    if (number !== 1) continue;
    for (const inner of fieldsOf(bytes)) {
      if (inner.number === 1) apiVersion = inner.bytes.toString('utf8');
      if (inner.number === 2) kind = inner.bytes.toString('utf8');
    }
  }
  return { apiVersion, kind, raw };
}

/** A message of the struct `typeName` as JSON. Unknown fields are dropped. Throws {@link ProtobufError}. */
export function readMessage(typeName: string, bytes: Buffer): Json {
  const struct = structOf(typeName);
  if (struct === undefined) throw new ProtobufError(`type ${typeName} is not known`);
  return readStruct(struct, bytes, 0);
}

const MAX_DEPTH = 200;

function readStruct(struct: Struct, bytes: Buffer, depth: number): Json {
  if (depth > MAX_DEPTH) throw new ProtobufError('the message is nested too deeply');
  const object: Json = {};
  for (const entry of fieldsOf(bytes)) {
    const field = struct.byNumber.get(entry.number);
    if (field === undefined) continue;
    if (typeof field === 'string') {
      const inner = structOf(field);
      if (inner !== undefined) Object.assign(object, readStruct(inner, entry.bytes, depth + 1));
      continue;
    }
    const { name, type } = field;
    if (type.kind === 'list') {
      const list = object[name];
      const items = Array.isArray(list) ? list : [];
      object[name] = items;
      items.push(readValue(type.of, entry, depth));
    } else if (type.kind === 'map') {
      const map = object[name];
      const items = typeof map === 'object' && map !== null ? map : {};
      object[name] = items;
      const [key, value] = readMapEntry(type.of, entry.bytes, depth);
      Object.defineProperty(items, key, { value, enumerable: true, writable: true, configurable: true });
    } else {
      object[name] = readValue(type, entry, depth);
    }
  }
  return object;
}

function readMapEntry(type: Type, bytes: Buffer, depth: number): [string, unknown] {
  let key = '';
  let value: unknown;
  for (const entry of fieldsOf(bytes)) {
    if (entry.number === 1) key = entry.bytes.toString('utf8');
    if (entry.number === 2) value = readValue(type, entry, depth);
  }
  if (value === undefined) value = type.kind === 'scalar' ? '' : {};
  return [key, value];
}

function readValue(type: Type, entry: WireField, depth: number): unknown {
  const { bytes } = entry;
  switch (type.kind) {
    case 'struct': {
      const struct = structOf(type.name);
      return struct === undefined ? {} : readStruct(struct, bytes, depth + 1);
    }
    case 'list':
      // A list inside a map or list is wrapped in a message with the items as field 1.
      return fieldsOf(bytes)
        .filter(({ number }) => number === 1)
        .map((item) => readValue(type.of, item, depth + 1));
    case 'map':
      return {};
    case 'scalar':
      return readScalar(type.letter, entry);
  }
}

function readScalar(letter: string, { bytes, integer, double }: WireField): unknown {
  switch (letter) {
    case 's':
      return bytes.toString('utf8');
    case 'b':
      return integer !== 0;
    case 'i':
    case 'l':
      return integer;
    case 'd':
      return double;
    case 'y':
      return bytes.toString('base64');
    case 'T':
    case 'M':
      return readTime(bytes, letter === 'M');
    case 'Q':
      return first(bytes)?.bytes.toString('utf8') ?? '0';
    case 'I':
      return readIntOrString(bytes);
    case 'D':
      return `${(first(bytes)?.integer ?? 0) / 1e9}s`;
    default: {
      const raw = first(bytes)?.bytes.toString('utf8') ?? '';
      try {
        return raw === '' ? null : JSON.parse(raw);
      } catch (cause) {
        throw new ProtobufError('a raw field holds no JSON', { cause });
      }
    }
  }
}

function first(bytes: Buffer): WireField | undefined {
  return fieldsOf(bytes).find(({ number }) => number === 1);
}

function readTime(bytes: Buffer, hasMicroseconds: boolean): string | null {
  let seconds = 0;
  let nanos = 0;
  const fields = fieldsOf(bytes);
  if (fields.length === 0) return null;
  for (const { number, integer } of fields) {
    if (number === 1) seconds = integer;
    if (number === 2) nanos = integer;
  }
  // Go's zero time: the year 1.
  if (seconds <= -62_135_596_800) return null;
  const time = metaTime(seconds * 1000);
  if (!hasMicroseconds) return time;
  return `${time.slice(0, -1)}.${String(Math.trunc(nanos / 1000)).padStart(6, '0')}Z`;
}

function readIntOrString(bytes: Buffer): unknown {
  let isString = false;
  let integer = 0;
  let text = '';
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) isString = field.integer === 1;
    if (field.number === 2) integer = field.integer;
    if (field.number === 3) text = field.bytes.toString('utf8');
  }
  return isString ? text : integer;
}

/** One field on the wire; which of the values counts depends on its type. */
interface WireField {
  readonly number: number;
  readonly bytes: Buffer;
  readonly integer: number;
  readonly double: number;
}

const NONE = Buffer.alloc(0);

function fieldsOf(bytes: Buffer): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  const varint = (): number => {
    let low = 0;
    let high = 0;
    for (let index = 0; index < 10; index += 1) {
      const byte = bytes[at];
      if (byte === undefined) throw new ProtobufError('unexpected EOF');
      at += 1;
      if (index < 4) low += (byte & 0x7f) * 2 ** (7 * index);
      else if (index < 9) high += (byte & 0x7f) * 2 ** (7 * (index - 4));
      else high += (byte & 0x01) * 2 ** 35;
      if (byte < 0x80) break;
      if (index === 9) throw new ProtobufError('integer overflow');
    }
    // Negative numbers are ten bytes of two's complement.
    if (high >= 2 ** 35) return Number(BigInt.asIntN(64, BigInt(high) * 2n ** 28n + BigInt(low)));
    return high * 2 ** 28 + low;
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    const wire = tag % 8;
    if (number === 0) throw new ProtobufError('illegal tag 0');
    if (wire === 0) fields.push({ number, bytes: NONE, integer: varint(), double: 0 });
    else if (wire === 1 || wire === 5) {
      const length = wire === 1 ? 8 : 4;
      if (at + length > bytes.length) throw new ProtobufError('unexpected EOF');
      const double = wire === 1 ? bytes.readDoubleLE(at) : bytes.readFloatLE(at);
      fields.push({ number, bytes: NONE, integer: 0, double });
      at += length;
    } else if (wire === 2) {
      const length = varint();
      if (length < 0 || at + length > bytes.length) throw new ProtobufError('unexpected EOF');
      fields.push({ number, bytes: bytes.subarray(at, at + length), integer: 0, double: 0 });
      at += length;
    } else throw new ProtobufError(`illegal wireType ${wire}`);
  }
  return fields;
}
