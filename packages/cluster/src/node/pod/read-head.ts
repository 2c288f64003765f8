import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * The beginning of a file that a container has written, as text; empty without one. Does not trust what a container puts in its
 * place: follows no links, waits for no pipes, and reads no more than asked for.
 */
export async function readHead(path: string, maxBytes: number): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    await using file = await open(path, flags);
    if (!(await file.stat()).isFile()) return '';
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  }
}
