/** The tar in a layer's file, expanded: gzip, zstd, or plain. What it is its first bytes say, as media types of archives are often wrong. */
import { closeSync, createReadStream, fstatSync, openSync, readSync } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import zlib from 'node:zlib';
import { LayerProblem } from './layer-problem.ts';
import { zstdFrames } from './zstd-frames.ts';

type Compression = 'gzip' | 'zstd' | 'none';

/** Large, as each piece costs a round through the event loop; small, as several are in memory at a time. */
const PIECE_BYTES = 128 * 1024;

/** Gives the tar in pieces. `onRead` is called with the bytes of the file that were read so far, before the pieces they expand to. */
export async function* expandLayer(
  path: string,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  const file = openSync(path, 'r');
  try {
    const size = fstatSync(file).size;
    const read = (position: number, length: number): Buffer => readAt(file, position, length);
    const compression = compressionOf(read(0, MAGIC_BYTES));
    if (compression === 'zstd') {
      // Node's decoder ends with the first frame; layers that are read in parts have thousands, some of them without content.
      for (const { start, end, hasContent } of zstdFrames(size, read)) {
        if (hasContent)
          yield* decoded(piecesOf(path, start, end, onRead), zlib.createZstdDecompress(OPTIONS));
      }
      return;
    }
    const pieces = piecesOf(path, 0, size, onRead);
    yield* compression === 'gzip' ? decoded(pieces, zlib.createGunzip(OPTIONS)) : pieces;
  } catch (error) {
    throw explained(error);
  } finally {
    closeSync(file);
  }
}

const OPTIONS = { chunkSize: PIECE_BYTES };
/** Error codes of zlib begin like this, in both of its decoders. */
const DAMAGED = /^(?:Z_|ZSTD_|ERR_ZLIB|ERR_ZSTD)/;
const MAGIC_BYTES = 6;

/** By the first bytes of a file; pure. @throws LayerProblem for a compression that is not known */
export function compressionOf(first: Uint8Array): Compression {
  const hex = Buffer.from(first).toString('hex');
  if (hex.startsWith('1f8b')) return 'gzip';
  // A frame, or one without content in front of it.
  if (hex.startsWith('28b52ffd') || /^5.2a4d18/.test(hex)) return 'zstd';
  const other = hex.startsWith('425a68') ? 'bzip2' : hex.startsWith('fd377a585a00') ? 'xz' : undefined;
  if (other === undefined) return 'none';
  throw new LayerProblem(
    'unsupported',
    `it is compressed by ${other}; layers are by gzip, zstd, or not at all`,
  );
}

async function* piecesOf(
  path: string,
  start: number,
  end: number,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  if (end <= start) return;
  let position = start;
  // `end` of a stream is its last byte.
  const stream = createReadStream(path, { start, end: end - 1, highWaterMark: PIECE_BYTES });
  for await (const piece of stream as AsyncIterable<Buffer>) {
    position += piece.length;
    onRead(position);
    yield piece;
  }
}

async function* decoded(
  pieces: AsyncIterable<Buffer>,
  decoder: NodeJS.ReadWriteStream,
): AsyncGenerator<Buffer, void, undefined> {
  // What goes wrong before the decoder comes out of it as well.
  const output = pipeline(Readable.from(pieces, { highWaterMark: 1 }), decoder, () => {});
  yield* output as unknown as AsyncIterable<Buffer>;
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, position));
}

function explained(error: unknown): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (!DAMAGED.test(code)) return error;
  return new LayerProblem('wrong-content', `it cannot be decompressed: ${message}`, { cause: error });
}
