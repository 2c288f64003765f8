import { strict as assert } from 'node:assert';

/** Fields of a message by their number: numbers as they are, everything else as bytes. */
export type Fields = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

/** Reads the wire format of protocol buffers, as far as OTLP has it. @throws AssertionError for anything else */
export function readFields(message: Buffer): Fields {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const take = (length: number): Buffer => {
    assert.ok(at + length <= message.length, 'a field ends behind its message');
    at += length;
    return message.subarray(at - length, at);
  };
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = take(1).readUInt8();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const readValue = (type: number): bigint | Buffer => {
    if (type === 0) return varint();
    if (type === 1) return take(8).readBigUInt64LE();
    if (type === 5) return BigInt(take(4).readUInt32LE());
    assert.equal(type, 2, `wire type ${type}`);
    return take(Number(varint()));
  };
  while (at < message.length) {
    const key = Number(varint());
    const value = readValue(key & 7);
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), value]);
  }
  return fields;
}

/** The messages of a repeated field. */
export function messagesOf(fields: Fields, field: number): Fields[] {
  return bytesOf(fields, field).map(readFields);
}

/** The values of a field of bytes or text. */
export function bytesOf(fields: Fields, field: number): Buffer[] {
  return (fields.get(field) ?? []).map((value) => {
    assert.ok(typeof value !== 'bigint', `field ${field} is a number`);
    return value;
  });
}

/** A text; empty when it is absent. */
export function textOf(fields: Fields, field: number): string {
  return bytesOf(fields, field)[0]?.toString('utf8') ?? '';
}

/** A number; 0 when it is absent. */
export function numberOf(fields: Fields, field: number): bigint {
  const [value = 0n] = fields.get(field) ?? [];
  assert.ok(typeof value === 'bigint', `field ${field} is no number`);
  return value;
}
