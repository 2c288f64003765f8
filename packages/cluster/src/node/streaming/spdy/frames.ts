/**
 * Frames of SPDY/3.1 as bytes: what kubectl and other Go clients speak to pods. (SPDY Protocol, Draft 3.1, section 2;
 * only what these clients use: no SETTINGS, CREDENTIAL or server push, and flow control is left to TCP, as theirs is.)
 */

export const FRAME_TYPES = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

/** Reasons of RST_STREAM. */
export const RESET_REASONS = { protocolError: 1, invalidStream: 2, refusedStream: 3, cancel: 5 } as const;

export const FLAG_FIN = 1;

const HEADER_BYTES = 8;
const VERSION = 3;
/** Header blocks of these clients have some hundred bytes. */
const MAX_CONTROL_BYTES = 64 * 1024;
/** The length field has 24 bits; shorter frames let streams take turns. */
const MAX_DATA_BYTES = 256 * 1024;

export interface ControlFrame {
  readonly kind: 'control';
  readonly type: number;
  readonly flags: number;
  readonly payload: Buffer;
}

/** A part of a data frame, as it came; `fin` with the last one. */
export interface DataPart {
  readonly kind: 'data';
  readonly streamId: number;
  readonly fin: boolean;
  readonly data: Buffer;
}

/** The bytes are no SPDY. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}

interface Started {
  readonly head: Buffer;
  readonly isControl: boolean;
  left: number;
}

/** Makes frames of bytes that come in any pieces. Control frames are kept until they are whole, data is passed on. */
export class FrameReader {
  /** Bytes of a head or a control frame so far. */
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #frame: Started | undefined;

  /** The frames that are complete with these bytes. @throws SpdyError */
  *push(bytes: Buffer): Generator<ControlFrame | DataPart, void, undefined> {
    let rest = bytes;
    for (;;) {
      const frame = this.#frame;
      if (frame === undefined) {
        const head = this.#take(rest, HEADER_BYTES);
        if (head === undefined) return;
        rest = head.rest;
        this.#frame = startFrame(head.whole);
        if (this.#frame.left > 0 || this.#frame.isControl) continue;
        yield dataPart(this.#frame.head, Buffer.alloc(0), true);
        this.#frame = undefined;
      } else if (frame.isControl) {
        const payload = this.#take(rest, frame.left);
        if (payload === undefined) return;
        rest = payload.rest;
        this.#frame = undefined;
        yield controlFrame(frame.head, payload.whole);
      } else {
        if (rest.length === 0) return;
        const data = rest.subarray(0, frame.left);
        rest = rest.subarray(data.length);
        frame.left -= data.length;
        if (frame.left === 0) this.#frame = undefined;
        yield dataPart(frame.head, data, frame.left === 0);
      }
    }
  }

  /** The next `length` bytes when they have arrived; else keeps those that have. */
  #take(bytes: Buffer, length: number): { whole: Buffer; rest: Buffer } | undefined {
    const missing = length - this.#keptBytes;
    const part = bytes.subarray(0, missing);
    this.#kept.push(part);
    this.#keptBytes += part.length;
    if (this.#keptBytes < length) return undefined;
    const whole = Buffer.concat(this.#kept, length);
    this.#kept = [];
    this.#keptBytes = 0;
    return { whole, rest: bytes.subarray(part.length) };
  }
}

function startFrame(head: Buffer): Started {
  const isControl = (head.readUInt8(0) & 0x80) !== 0;
  const left = head.readUIntBE(5, 3);
  if (!isControl) return { head, isControl, left };
  const version = head.readUInt16BE(0) & 0x7fff;
  if (version !== VERSION) throw new SpdyError(`SPDY version ${version} is not known; 3 is`);
  if (left > MAX_CONTROL_BYTES)
    throw new SpdyError(`a control frame of ${left} bytes is too long; ${MAX_CONTROL_BYTES} is the limit`);
  return { head, isControl, left };
}

function controlFrame(head: Buffer, payload: Buffer): ControlFrame {
  return { kind: 'control', type: head.readUInt16BE(2), flags: head.readUInt8(4), payload };
}

function dataPart(head: Buffer, data: Buffer, isLast: boolean): DataPart {
  const fin = isLast && (head.readUInt8(4) & FLAG_FIN) !== 0;
  return { kind: 'data', streamId: head.readUInt32BE(0) & 0x7fffffff, fin, data };
}

/** A control frame's bytes. */
export function encodeControl(type: number, flags: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEADER_BYTES);
  head.writeUInt16BE(0x8000 | VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt8(flags, 4);
  head.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([head, payload]);
}

/** The bytes of data frames; of one, unless the data is long. */
export function encodeData(streamId: number, data: Buffer, fin: boolean): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at === 0 || at < data.length; at += MAX_DATA_BYTES) {
    const piece = data.subarray(at, at + MAX_DATA_BYTES);
    const head = Buffer.alloc(HEADER_BYTES);
    head.writeUInt32BE(streamId, 0);
    head.writeUInt8(fin && at + piece.length >= data.length ? FLAG_FIN : 0, 4);
    head.writeUIntBE(piece.length, 5, 3);
    pieces.push(head, piece);
  }
  return Buffer.concat(pieces);
}

/** A payload of 32-bit numbers: RST_STREAM, PING, GOAWAY. */
export function words(...values: readonly number[]): Buffer {
  const payload = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) payload.writeUInt32BE(value, 4 * index);
  return payload;
}
