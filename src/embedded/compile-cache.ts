import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isOwnFolder, makeFolders } from '../process/make-folders.ts';

/**
 * Folder of the current user in which Node keeps compiled code, so that Turnsole's processes start in half the time.
 * The same as that of the command itself (bin/turnsole.js): the one that the user has set for Node, else one below the user's cache
 * folder; below the temp folder for users without a home. Node runs what it finds there: a folder that others may write to is none.
 */
export function compileCacheDirectory(env: NodeJS.ProcessEnv): string {
  const { NODE_COMPILE_CACHE } = env;
  if (NODE_COMPILE_CACHE !== undefined && isAbsolute(NODE_COMPILE_CACHE)) return NODE_COMPILE_CACHE;
  for (const root of [env.XDG_CACHE_HOME, env.HOME === undefined ? undefined : join(env.HOME, '.cache')]) {
    if (root === undefined || root === '') continue;
    const directory = join(root, 'turnsole', 'compile-cache');
    try {
      makeFolders(directory, 0o700);
      if (isOwnFolder(directory)) return directory;
    } catch {
      // Read-only or missing home; try the next.
    }
  }
  const directory = join(tmpdir(), `turnsole-cache-${userInfo().uid}`);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return isOwnFolder(directory) ? directory : mkdtempSync(`${directory}-`);
}
