import { closeSync, constants, open, readSync, watch } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** The number alone: the socket closes it. */
const openFile = promisify(open);

/** How a container's command has ended: its exit code; undefined when its shell was killed and could not say it. */
type MainEnd = number | undefined;

/**
 * Waits until the command of a container has ended, which its shell shows (`packages/workflows/src/pods/script.ts`): the file `started`, then the
 * pipe `alive`, which has a writer as long as the shell lives.
 *
 * @param begun aborted: a container that has not started is not waited for
 */
export async function mainEnd(home: string, name: string, begun: AbortSignal): Promise<MainEnd> {
  const folder = join(home, name);
  await appears(folder, begun);
  await appears(join(folder, 'started'), begun);
  await hasNoWriter(join(folder, 'alive'));
  const text = await readFile(join(folder, 'exitcode'), 'utf8').catch(() => '');
  return text.trim() === '' ? undefined : Number(text);
}

/** Resolves when the path is there. Its folder has to be. An abort takes effect only while it is not. */
async function appears(path: string, signal: AbortSignal): Promise<void> {
  const watcher = watch(dirname(path));
  const over = new AbortController();
  try {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        // What was missing before the abort may be there by then: the look that the abort begins counts.
        const isLast = signal.aborted;
        stat(path).then(
          () => resolve(),
          (error: NodeJS.ErrnoException) => {
            if (error.code !== 'ENOENT') reject(error);
            else if (isLast) reject(signal.reason);
          },
        );
      };
      watcher.on('change', (_event, file) => {
        if (file === null || String(file) === basename(path)) look();
      });
      watcher.on('error', reject);
      signal.addEventListener('abort', look, { once: true, signal: over.signal });
      look();
    });
  } finally {
    over.abort();
    watcher.close();
  }
}

/**
 * Opened without waiting: for a writer that is gone already it would wait for ever. For the same reason it is read once before it is
 * polled: Linux reports the end of writers only to readers that had the pipe open while it had one.
 */
async function hasNoWriter(pipe: string): Promise<void> {
  const fd = await openFile(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  if (isAtEnd(fd)) return closeSync(fd);
  const socket = new Socket({ fd, readable: true, writable: false });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('end', resolve);
      socket.once('error', reject);
      socket.resume();
    });
  } finally {
    socket.destroy();
  }
}

function isAtEnd(fd: number): boolean {
  try {
    return readSync(fd, Buffer.alloc(1)) === 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return false;
    throw error;
  }
}
