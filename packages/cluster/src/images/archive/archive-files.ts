/** The files of an archive of images: a folder, or a tar, which is read where it lies. */
import { closeSync, createReadStream, existsSync, openSync, readSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { messageOf } from '@turnsole/kube/text/error-message';
import { extract } from 'tar-stream';
import { ImageError } from '../errors.ts';
import { LARGEST_DOCUMENT } from '../manifest/descriptor.ts';
import { compressionOf, expandLayer } from '../unpack/expand.ts';

export interface ArchiveFiles {
  has(name: string): boolean;
  /** Bytes of a file; undefined when it is not there. */
  size(name: string): number | undefined;
  /** A small file as a whole. @throws ImageError when it is missing or too large */
  read(name: string): Promise<Buffer>;
  /** Its content from a byte on. */
  stream(name: string, offset: number): AsyncIterable<Uint8Array>;
}

/** Large pieces: each costs a round through the event loop. */
const PIECE_BYTES = 256 * 1024;

interface Place {
  readonly path: string;
  readonly start: number;
  readonly size: number;
}

class PlacedFiles implements ArchiveFiles {
  readonly #archive: string;
  readonly #find: (name: string) => Place | undefined;

  constructor(archive: string, find: (name: string) => Place | undefined) {
    this.#archive = archive;
    this.#find = find;
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  size(name: string): number | undefined {
    return this.#find(name)?.size;
  }

  async read(name: string): Promise<Buffer> {
    const place = this.#place(name);
    if (place.size > LARGEST_DOCUMENT) {
      throw new ImageError(
        'wrong-content',
        `${name} in ${this.#archive} is larger than ${LARGEST_DOCUMENT} bytes`,
      );
    }
    if (place.start === 0 && place.path !== this.#archive) return await readFile(place.path);
    const file = await open(place.path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(place.size), 0, place.size, place.start);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  async *stream(name: string, offset: number): AsyncIterable<Uint8Array> {
    const { path, start, size } = this.#place(name);
    if (offset >= size) return;
    const range = { start: start + offset, end: start + size - 1, highWaterMark: PIECE_BYTES };
    yield* createReadStream(path, range) as AsyncIterable<Buffer>;
  }

  #place(name: string): Place {
    const place = this.#find(name);
    if (place === undefined)
      throw new ImageError('wrong-content', `${this.#archive} has no ${name}, which it names itself`);
    return place;
  }
}

/** @param scratch gives a path for the expanded archive, when it is compressed */
export async function openArchive(path: string, scratch: () => string): Promise<ArchiveFiles> {
  try {
    if (statSync(path).isDirectory()) return folderFiles(path);
    return await tarFiles(path, isCompressed(path) ? await expanded(path, scratch()) : path);
  } catch (error) {
    if (error instanceof ImageError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : messageOf(error);
    throw new ImageError('wrong-content', `cannot read images from ${path}: ${why}`, { cause: error });
  }
}

function folderFiles(folder: string): ArchiveFiles {
  return new PlacedFiles(folder, (name) => {
    const path = join(folder, name);
    const stats = existsSync(path) ? statSync(path) : undefined;
    return stats?.isFile() === true ? { path, start: 0, size: stats.size } : undefined;
  });
}

/** @param tar the archive, expanded; `archive` itself when it is not compressed */
async function tarFiles(archive: string, tar: string): Promise<ArchiveFiles> {
  const files = new Map<string, Place>();
  const links = new Map<string, string>();
  const entries = extract();
  const stream = createReadStream(tar, { highWaterMark: PIECE_BYTES });
  stream.once('error', (error) => entries.destroy(error));
  stream.pipe(entries as unknown as NodeJS.WritableStream);
  for await (const entry of entries) {
    const { name, type, linkname, size } = entry.header;
    const key = posix.normalize(name);
    if (type === 'file' || type === 'contiguous-file') {
      files.set(key, { path: tar, start: (entry.header as { byteOffset?: number }).byteOffset ?? 0, size });
    } else if (type === 'symlink') links.set(key, posix.join(posix.dirname(key), linkname));
    // Of Docker before 2024: a layer that images of the archive share stands there once.
    else if (type === 'link') links.set(key, posix.normalize(linkname));
    entry.resume();
  }
  return new PlacedFiles(archive, (name) => files.get(name) ?? files.get(links.get(name) ?? ''));
}

function isCompressed(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const first = Buffer.alloc(6);
    return compressionOf(first.subarray(0, readSync(file, first))) !== 'none';
  } finally {
    closeSync(file);
  }
}

async function expanded(path: string, to: string): Promise<string> {
  const file = await open(to, 'wx', 0o600);
  try {
    for await (const piece of expandLayer(path, () => {})) await file.writeFile(piece);
  } finally {
    await file.close();
  }
  return to;
}
