import { readdirSync } from 'node:fs';
import { posix } from 'node:path';

/** The names in a folder; none where it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The number of parts of a path in a container. Volumes are mounted in this order: a mount would hide those made before it below its path. Pure. */
export function pathDepth(path: string): number {
  return posix.normalize(path).split('/').filter(Boolean).length;
}
