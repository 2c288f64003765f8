import { closeSync, constants, createReadStream, openSync, readSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** Far more than manifests have; a device or a data file is not read to its end. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
const FIRST_BYTES = 4096;
/** A program that makes manifests takes its time; one that says nothing for so long is not there. */
const SILENCE_MS = 60_000;

/**
 * The text of a manifest file, or of a pipe in its place (`<(helm template …)`).
 *
 * @param silenceMs how long a pipe may be silent @default one minute
 * @throws Error when it cannot be read, is too large, or the pipe stays silent
 */
export async function readText(file: string, silenceMs: number = SILENCE_MS): Promise<string> {
  const chunks: Buffer[] = [];
  const isPipe = (await stat(file)).isFIFO();
  const stream = isPipe ? openPipe(file, silenceMs, chunks) : createReadStream(file);
  let bytes = 0;
  for await (const chunk of stream) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_FILE_BYTES)
      throw new Error(`it is larger than ${MAX_FILE_BYTES / 1024 ** 2} MiB, so it is no manifest`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Opens a pipe without waiting for a writer, as nothing could end that wait; a writer that waits for its reader is present already. The
 * bytes that this test reads go to `read`.
 */
function openPipe(file: string, silenceMs: number, read: Buffer[]): Readable {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    read.push(firstBytes(fd));
    const socket = new Socket({ fd, readable: true, writable: false });
    socket.setTimeout(silenceMs, () => {
      socket.destroy(new Error(`it is a pipe to which nothing was written for ${silenceMs / 1000} s`));
    });
    return socket;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** @throws Error at the end of the pipe: it has no writer */
function firstBytes(fd: number): Buffer {
  const bytes = Buffer.alloc(FIRST_BYTES);
  try {
    const length = readSync(fd, bytes);
    if (length === 0) throw new Error('it is a pipe to which nothing is written');
    return bytes.subarray(0, length);
  } catch (error) {
    // A writer that has not written yet.
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return Buffer.alloc(0);
    throw error;
  }
}
