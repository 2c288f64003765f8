import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTemporaryFolder } from '@turnsole/kube/base/temporary-folder';
import { CommandError } from '../../services/errors.ts';
import { IMAGE_PROGRAMS } from './image-programs.ts';

/**
 * Has another program write an image into a file of the temporary folder, which is there while `work` runs.
 *
 * @throws CommandError IMAGE_FAILED when the program has no such image, or is not there · what `work` throws
 */
export async function withArchiveOf<T>(
  program: string,
  name: string,
  signal: AbortSignal,
  work: (file: string) => Promise<T>,
): Promise<T> {
  const folder = makeTemporaryFolder('turnsole-image-');
  try {
    const file = join(folder, 'image.tar');
    const [command = '', ...args] = IMAGE_PROGRAMS[program]?.save(name, file) ?? [];
    try {
      await promisify(execFile)(command, args, { signal });
    } catch (error) {
      if (signal.aborted) throw error;
      const { code, stderr = '', message } = error as NodeJS.ErrnoException & { stderr?: string };
      const why = code === 'ENOENT' ? `${command} is not installed` : stderr.trim() || message;
      throw new CommandError(`cannot take ${name} from ${program}: ${why}`, 'IMAGE_FAILED', { cause: error });
    }
    return await work(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
