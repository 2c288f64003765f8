import { existsSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder with those above it, as `mkdir -p`. Node's own `recursive` never ends where a folder that is there refuses a new one
 * with ENOENT, as `/proc` does.
 *
 * @throws the error of the first folder that cannot be made
 */
export function makeFolders(path: string, mode?: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const above = dirname(path);
  // For a file in the way, `mkdirSync` below reports which folder cannot be made in it.
  if (!existsSync(above)) makeFolders(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have been faster.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/** Others may write to it. */
const OF_OTHERS = 0o022;

/** Whether a path is a folder, not a link to one, of this user, that nobody else may write to: what stands there is then the user's own. */
export function isOwnFolder(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return false;
  return process.geteuid === undefined || (found.uid === process.geteuid() && (found.mode & OF_OTHERS) === 0);
}
