import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from './probe-kind.ts';

/**
 * Gives the text of a file in the experiment pod. Pods that are plain local processes have their volumes below
 * TURNSOLE_POD_ROOT (docs/architecture.md); the path there wins.
 *
 * @throws the error of the file system when neither place has the file
 */
export async function readPodFile(path: string, env: Environment, signal: AbortSignal): Promise<string> {
  const root = env.TURNSOLE_POD_ROOT;
  if (root !== undefined && root !== '') {
    try {
      return await readFile(join(root, path), { encoding: 'utf8', signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  return await readFile(path, { encoding: 'utf8', signal });
}
