import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { PackedText } from './tables/columns.ts';

/** First byte of a packed text. */
const PLAIN = 0;
const DEFLATED = 1;
/** For shorter texts, compression saves too little. */
const WORTH_DEFLATING = 512;
/** The fastest level: execution data is written for each event of a run, and JSON shrinks to a sixth with it. */
const LEVEL = 1;

/** A text in the form of a byte column: deflated if that saves space. */
export function packText(text: string): PackedText {
  const bytes = Buffer.from(text);
  if (bytes.length < WORTH_DEFLATING) return Buffer.concat([Buffer.of(PLAIN), bytes]);
  return Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(bytes, { level: LEVEL })]);
}

/** Reverses {@link packText}. @throws Error for other bytes */
export function unpackText(packed: PackedText): string {
  const body = packed.subarray(1);
  if (packed[0] === PLAIN) return Buffer.from(body).toString();
  if (packed[0] === DEFLATED) return inflateRawSync(body).toString();
  throw new Error(`a packed text begins with byte ${packed[0]}; the row was not written by this program`);
}
