/** What both programs of this folder need. Plain JavaScript that any Node since 18 understands. */
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The oldest major version of Node that Turnsole works with. */
export const MINIMUM_NODE = 24;

/** The user's folder for what can be made again. */
export function cacheRoot() {
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}

/** Makes a folder with those above it; false where that cannot be. */
export function makeFolders(path) {
  if (existsSync(path)) return true;
  if (dirname(path) === path || !makeFolders(dirname(path))) return false;
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch {
    return existsSync(path);
  }
}
