import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * The beginning of a file that a container has written, as text; empty where there is none. What a container puts in its
 * place is not trusted: links are not followed, pipes not waited for, and no more is read than asked for.
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
