import type { Writable } from 'node:stream';

/**
 * Resolves when everything that was written to a stream has left the process, or can no longer leave it. A pipe takes 64 KiB at once; the
 * rest would be lost by `process.exit`. The reader sets the pace: it may be a pager, so there is no limit in time.
 */
export function flushed(stream: Writable): Promise<void> {
  if (stream.destroyed || stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    // A reader that has gone wants nothing more.
    stream.once('error', () => resolve());
    stream.once('close', () => resolve());
    stream.write('', () => resolve());
  });
}
