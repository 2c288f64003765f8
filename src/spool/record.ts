import { crc32 } from 'node:zlib';

/**
 * Kinds of records: an entry that may be replaced, one that may not; a mark that an earlier entry is not needed any more (`done`), and
 * that it was the final one of its key (`over`).
 */
export type RecordKind = 'put' | 'final' | 'done' | 'over';

/** One record of a spool's file. */
export interface SpoolRecord {
  readonly kind: RecordKind;
  /** Of `done` and `over`: the sequence of the record that the mark is about. */
  readonly sequence: number;
  /** Empty for `done`. */
  readonly key: string;
  readonly body: Buffer;
}

/** Length of the payload and its CRC-32, little-endian. */
export const HEADER_BYTES = 8;
/** Kind, sequence, length of the key. */
const FIXED_BYTES = 11;
const KINDS: readonly RecordKind[] = ['put', 'final', 'done', 'over'];

/** Larger ones are taken for damage: a length that is read from garbage must not become memory. */
const MAX_PAYLOAD_BYTES = 32 * 1024 * 1024;

/** A record does not fit the format. */
class RecordTooLargeError extends RangeError {
  override readonly name = 'RecordTooLargeError';
}

/** The bytes of a record. @throws RecordTooLargeError */
export function encodeRecord({ kind, sequence, key, body }: SpoolRecord): Buffer {
  const keyBytes = Buffer.from(key);
  const length = FIXED_BYTES + keyBytes.length + body.length;
  if (length > MAX_PAYLOAD_BYTES || keyBytes.length > 0xffff) {
    throw new RecordTooLargeError(`a record of ${length} bytes is larger than ${MAX_PAYLOAD_BYTES}`);
  }
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + length);
  bytes.writeUInt8(KINDS.indexOf(kind), HEADER_BYTES);
  bytes.writeBigUInt64LE(BigInt(sequence), HEADER_BYTES + 1);
  bytes.writeUInt16LE(keyBytes.length, HEADER_BYTES + 9);
  keyBytes.copy(bytes, HEADER_BYTES + FIXED_BYTES);
  body.copy(bytes, HEADER_BYTES + FIXED_BYTES + keyBytes.length);
  bytes.writeUInt32LE(length, 0);
  bytes.writeUInt32LE(crc32(bytes.subarray(HEADER_BYTES)), 4);
  return bytes;
}

/** Length of the payload that a header announces; undefined for one that no record can have. */
export function payloadLength(header: Buffer): number | undefined {
  const length = header.readUInt32LE(0);
  return length < FIXED_BYTES || length > MAX_PAYLOAD_BYTES ? undefined : length;
}

/** The record of a header and its payload; undefined where they do not belong together. */
export function decodeRecord(header: Buffer, payload: Buffer): SpoolRecord | undefined {
  if (crc32(payload) !== header.readUInt32LE(4)) return undefined;
  const kind = KINDS[payload.readUInt8(0)];
  const bodyAt = FIXED_BYTES + payload.readUInt16LE(9);
  if (kind === undefined || bodyAt > payload.length) return undefined;
  return {
    kind,
    sequence: Number(payload.readBigUInt64LE(1)),
    key: payload.toString('utf8', FIXED_BYTES, bodyAt),
    body: payload.subarray(bodyAt),
  };
}
