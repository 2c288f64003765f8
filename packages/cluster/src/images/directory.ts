import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The folder of the user's images: below the folder for what can be made again, as XDG has it. */
export function imagesDirectory(env: NodeJS.ProcessEnv = process.env): string {
  const { XDG_CACHE_HOME: root = '', HOME: home = homedir() } = env;
  return join(isAbsolute(root) ? root : join(home, '.cache'), 'turnsole', 'images');
}
