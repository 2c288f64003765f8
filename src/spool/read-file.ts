import type { SpoolFile } from './folder.ts';
import { decodeRecord, HEADER_BYTES, payloadLength, type SpoolRecord } from './record.ts';

/** First bytes of a spool's file: they mark its type and the version of its format. */
export const MAGIC: Buffer = Buffer.from('TSPOOL1\n');

/** How a file ends: with a whole record, in the middle of one (its writer died), or with bytes that are no record (damage). */
type FileEnd = 'whole' | 'torn' | 'damaged';

/** Where reading ended, and why. */
interface ReadOutcome {
  /** Bytes up to the end of the last whole record. */
  readonly goodBytes: number;
  readonly end: FileEnd;
}

/** Reads a file from its beginning, one record in memory at a time. @param take gets each record and where its frame lies */
export async function readRecords(
  file: SpoolFile,
  take: (record: SpoolRecord, position: number, length: number) => void,
): Promise<ReadOutcome> {
  const size = await file.size();
  const magic = await file.read(0, MAGIC.length);
  if (magic.length < MAGIC.length) return { goodBytes: 0, end: size === 0 ? 'whole' : 'torn' };
  if (!magic.equals(MAGIC)) return { goodBytes: 0, end: 'damaged' };
  let at = MAGIC.length;
  while (at < size) {
    const header = await file.read(at, HEADER_BYTES);
    if (header.length < HEADER_BYTES) return { goodBytes: at, end: 'torn' };
    const length = payloadLength(header);
    if (length === undefined) return { goodBytes: at, end: 'damaged' };
    const next = at + HEADER_BYTES + length;
    if (next > size) return { goodBytes: at, end: 'torn' };
    const record = decodeRecord(header, await file.read(at + HEADER_BYTES, length));
    // A machine that lost its power may have kept the length of the file and not what stood at its end.
    if (record === undefined) return { goodBytes: at, end: next === size ? 'torn' : 'damaged' };
    take(record, at, next - at);
    at = next;
  }
  return { goodBytes: at, end: 'whole' };
}
