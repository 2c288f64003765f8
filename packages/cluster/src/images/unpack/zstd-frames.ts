/** Where the frames of a zstd file begin and end (RFC 8878, section 3), read from their headers without decompressing. */
import { LayerProblem } from './layer-problem.ts';

/** A frame: bytes from `start` up to and without `end`. */
interface ZstdFrame {
  readonly start: number;
  readonly end: number;
  /** Not of a skippable frame. */
  readonly hasContent: boolean;
}

const MAGIC = 0xfd2fb528;
const SKIPPABLE = 0x184d2a50;
/** Magic number, descriptor, and the longest of the fields behind it: window 1, dictionary 4, content size 8. */
const LONGEST_HEADER = 4 + 1 + 1 + 4 + 8;
const BLOCK_HEADER = 3;
const CHECKSUM = 4;
const DICTIONARY_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;
/** Block type that repeats one byte: its content takes one, whatever its size says. */
const RUN_LENGTH = 1;

/**
 * @param size bytes of the file
 * @param read gives bytes at a position: fewer at the end of the file
 * @throws LayerProblem for what is no frame, and one that ends after the file
 */
export function* zstdFrames(
  size: number,
  read: (position: number, length: number) => Buffer,
): Generator<ZstdFrame, void, undefined> {
  for (let start = 0; start < size; ) {
    const header = read(start, LONGEST_HEADER);
    if (header.length < 8) throw cut(size);
    const magic = header.readUInt32LE(0);
    const isSkippable = (magic & 0xfffffff0) >>> 0 === SKIPPABLE;
    if (!isSkippable && magic !== MAGIC) {
      throw new LayerProblem('wrong-content', `at byte ${start} no frame of zstd begins`);
    }
    const end = isSkippable ? start + 8 + header.readUInt32LE(4) : endOfFrame(start, header, size, read);
    if (end > size) throw cut(size);
    yield { start, end, hasContent: !isSkippable };
    start = end;
  }
}

function endOfFrame(
  start: number,
  header: Buffer,
  size: number,
  read: (position: number, length: number) => Buffer,
): number {
  const descriptor = header[4] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const contentSize = CONTENT_SIZE_BYTES[(descriptor >> 6) as 0 | 1 | 2 | 3];
  const fields =
    (isSingleSegment ? 0 : 1) +
    DICTIONARY_BYTES[(descriptor & 3) as 0 | 1 | 2 | 3] +
    // A single segment always says its size, in at least one byte.
    (isSingleSegment && contentSize === 0 ? 1 : contentSize);
  let position = start + 5 + fields;
  for (;;) {
    const block = read(position, BLOCK_HEADER);
    if (block.length < BLOCK_HEADER) throw cut(size);
    const value = block.readUIntLE(0, BLOCK_HEADER);
    const isLast = (value & 1) === 1;
    const length = ((value >> 1) & 3) === RUN_LENGTH ? 1 : value >> 3;
    position += BLOCK_HEADER + length;
    if (isLast) return position + ((descriptor & 4) === 0 ? 0 : CHECKSUM);
  }
}

function cut(size: number): LayerProblem {
  return new LayerProblem('wrong-content', `it ends in the middle of a frame of zstd, after ${size} bytes`);
}
