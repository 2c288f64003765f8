/** What both programs of this folder need. Plain JavaScript that any Node since 18 understands. */
import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The oldest major version of Node that Turnsole works with. */
export const MINIMUM_NODE = 24;

/** The user's folder for what can be made again. */
export function cacheRoot() {
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}

/** Makes a folder with those above it; false where that cannot be. */
function makeFolders(path) {
  if (existsSync(path)) return true;
  if (dirname(path) === path || !makeFolders(dirname(path))) return false;
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch {
    return existsSync(path);
  }
}

/** Makes a folder as makeFolders does; true where it then is this user's alone. */
export function makeOwnFolder(path) {
  return makeFolders(path) && isOwnFolder(path);
}

/** Whether a path is a folder of this user, not a link to one, that nobody else may write to. What is run from there is the user's own. */
export function isOwnFolder(path) {
  const found = lstatSync(path);
  if (!found.isDirectory()) return false;
  return process.geteuid === undefined || (found.uid === process.geteuid() && (found.mode & 0o022) === 0);
}
