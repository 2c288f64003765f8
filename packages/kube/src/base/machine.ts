/** What a process sees of its machine: files and programs that may be missing, other processes, its own rights. */
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The text of a file; empty where it cannot be read, as of a process that has ended. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Whether this process may execute a file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Full path of a program; undefined when it is not there.
 *
 * @param searchPath folders as in PATH; empty ones, which mean the current folder to shells, are not searched
 */
export function findProgram(
  name: string,
  searchPath: string = process.env.PATH ?? '',
  exists: (path: string) => boolean = isExecutable,
): string | undefined {
  return searchPath
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(exists);
}

/** The children of a process, in the order in which they were started; none of one that has ended. */
export function childrenOf(pid: number): number[] {
  const text = readOrEmpty(`/proc/${pid}/task/${pid}/children`);
  return text.split(' ').filter(Boolean).map(Number);
}

/** Text of /proc/self/status. Empty without one: by it everything is missing, which is the truth. */
export function readOwnStatus(): string {
  return readOrEmpty('/proc/self/status');
}
