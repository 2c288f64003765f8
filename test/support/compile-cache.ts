/** The one folder in which Node keeps compiled code for all processes of a suite. */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/**
 * The folder that the caller's environment names, else one that `npm ci` empties, else, where this user cannot write to the checkout, one
 * below the temp folder. Test files, the commands and the pods that they start inherit it, so each module is stripped of its types and
 * compiled once. Node names entries by file and user, compares the source before it uses one, and puts it in place by a rename.
 */
export function suiteCompileCache(env: NodeJS.ProcessEnv = process.env): string {
  if (env.NODE_COMPILE_CACHE !== undefined && env.NODE_COMPILE_CACHE !== '') return env.NODE_COMPILE_CACHE;
  const ours = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'turnsole', 'compile-cache');
  try {
    mkdirSync(ours, { recursive: true });
    accessSync(ours, constants.W_OK);
    return ours;
  } catch {
    const own = ownCompileCache(userInfo().uid);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    return own;
  }
}

/** The folder of a user who cannot write to the checkout. */
export function ownCompileCache(uid: number): string {
  return join(tmpdir(), `turnsole-tests-${uid}`, 'compile-cache');
}
