import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** The text of a file; empty where it cannot be read. */
export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** The names in a folder; none where it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
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

/** The number of parts of a path in a container. Volumes are mounted in this order: a mount would hide those made before it below its path. Pure. */
export function pathDepth(path: string): number {
  return posix.normalize(path).split('/').filter(Boolean).length;
}
