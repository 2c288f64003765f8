import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { PackedText } from './tables/columns.ts';

/** First byte of a packed text. */
const PLAIN = 0;
const DEFLATED = 1;
/** Shorter texts do not become smaller by what it takes to unpack them. */
const WORTH_DEFLATING = 512;
/** The fastest one: execution data is written once for each event of a run, and JSON shrinks to a sixth by it. */
const LEVEL = 1;

/** A text as a column of bytes holds it: deflated where that is worth it. */
export function packText(text: string): PackedText {
  const bytes = Buffer.from(text);
  if (bytes.length < WORTH_DEFLATING) return Buffer.concat([Buffer.of(PLAIN), bytes]);
  return Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(bytes, { level: LEVEL })]);
}

/** The text that {@link packText} was given. @throws Error when the bytes are not from it */
export function unpackText(packed: PackedText): string {
  const body = packed.subarray(1);
  if (packed[0] === PLAIN) return Buffer.from(body).toString();
  if (packed[0] === DEFLATED) return inflateRawSync(body).toString();
  throw new Error(`a packed text begins with byte ${packed[0]}; the row was not written by this program`);
}
