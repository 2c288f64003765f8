/**
 * Content by its digest. A file that has its name is whole and was checked; before that it is in `ingest`, where what a process has left that was
 * broken off is gone on with.
 */
import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ImageError } from '../errors.ts';
import type { Descriptor } from '../manifest/descriptor.ts';
import { SpentPieces } from '../spent-pieces.ts';
import type { Holds } from './holds.ts';

/** Gives content from a byte on. */
export type BlobSource = (offset: number) => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>;

interface BlobOptions {
  readonly signal?: AbortSignal | undefined;
  /** Receives bytes as they come, those that were there already first. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
  /** Whose it is, for messages. */
  readonly label: string;
}

const READ_BYTES = 1024 * 1024;
const PART = '.part';

export class Blobs {
  readonly #folder: string;
  readonly #ingest: string;
  readonly #holds: Holds;
  readonly #spent = new SpentPieces();

  constructor(directory: string, holds: Holds) {
    this.#folder = join(directory, 'blobs', 'sha256');
    this.#ingest = join(directory, 'ingest');
    this.#holds = holds;
  }

  async prepare(): Promise<void> {
    for (const folder of [this.#folder, this.#ingest]) await mkdir(folder, { recursive: true, mode: 0o700 });
  }

  path(digest: string): string {
    return join(this.#folder, hexOf(digest));
  }

  has(digest: string): boolean {
    return existsSync(this.path(digest));
  }

  read(digest: string): Promise<Buffer> {
    return readFile(this.path(digest));
  }

  /** Digests of all, with their bytes. */
  all(): Map<string, number> {
    const sizes = readdirSync(this.#folder).map(
      (name) => [`sha256:${name}`, sizeOf(join(this.#folder, name))] as const,
    );
    return new Map(sizes);
  }

  /** Files of content that is not whole, by digest. */
  parts(): Map<string, string> {
    const names = readdirSync(this.#ingest).filter((name) => name.endsWith(PART));
    return new Map(names.map((name) => [`sha256:${name.slice(0, -PART.length)}`, join(this.#ingest, name)]));
  }

  /**
   * Makes sure that content is there: takes it from its source unless it is, or another process is about to have it. Whoever calls holds
   * the digest.
   *
   * @throws ImageError `wrong-content` for other content; what the source throws
   */
  async add(descriptor: Descriptor, source: BlobSource, options: BlobOptions): Promise<void> {
    const { digest, size } = descriptor;
    if (!this.has(digest)) {
      await this.#holds.alone(workOnBlob(digest), options.signal, async () => {
        if (!this.has(digest)) await this.#take(descriptor, source, options);
        else options.onBytes?.(size);
      });
    } else options.onBytes?.(size);
  }

  async #take({ digest, size }: Descriptor, source: BlobSource, options: BlobOptions): Promise<void> {
    const path = join(this.#ingest, `${hexOf(digest)}${PART}`);
    const file = await open(path, 'a+', 0o600);
    try {
      const hash = createHash('sha256');
      let offset = await hashed(file, hash, size);
      options.onBytes?.(offset);
      if (offset < size) {
        for await (const piece of await source(offset)) {
          options.signal?.throwIfAborted();
          offset += piece.length;
          if (offset > size)
            throw wrong(options.label, digest, `it is longer than the ${size} bytes that it should have`);
          const written = writeAll(file, piece);
          hash.update(piece);
          await written;
          this.#spent.add(piece.length);
          options.onBytes?.(piece.length);
        }
      }
      if (offset < size) {
        throw new ImageError(
          'unavailable',
          `${options.label} (${digest}) ended after ${offset} of ${size} bytes; it will be gone on with`,
        );
      }
      const found = `sha256:${hash.digest('hex')}`;
      if (found !== digest) throw wrong(options.label, digest, `what came is ${found}`);
      await file.sync();
      renameSync(path, this.path(digest));
    } catch (error) {
      // Going on with it would end the same way.
      if (error instanceof ImageError && error.code === 'wrong-content') rmSync(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    await syncFolder(this.#folder);
  }
}

/** The name of the work of bringing a blob. */
export function workOnBlob(digest: string): string {
  return `blob ${digest}`;
}

/** Hashes what a file has; one that is too long is emptied. Gives its bytes. */
async function hashed(file: FileHandle, hash: Hash, size: number): Promise<number> {
  const stats = await file.stat();
  if (stats.size > size) await file.truncate(0);
  if (stats.size === 0 || stats.size > size) return 0;
  const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, stats.size));
  let position = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return position;
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}

async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let done = 0; done < piece.length; ) done += (await file.write(piece, done)).bytesWritten;
}

/** So that a name in it outlives the machine's loss of power. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function wrong(label: string, digest: string, why: string): ImageError {
  return new ImageError('wrong-content', `${label} (${digest}) is not what its digest says: ${why}`);
}

function hexOf(digest: string): string {
  return digest.slice(digest.indexOf(':') + 1);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
