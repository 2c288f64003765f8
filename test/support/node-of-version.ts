/** Another version of Node than the one that runs the tests. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const CACHE = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'turnsole');

/**
 * Path of the program: this process' own where it has that version, else one that is installed from npm once, below the project's
 * `node_modules`.
 *
 * @throws Error when npm has none for this machine, or does not answer
 */
export async function nodeOfVersion(major: number): Promise<string> {
  if (process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const home = join(CACHE, `node-${major}`);
  const program = join(home, 'node_modules', name, 'bin', 'node');
  if (!existsSync(program)) {
    await mkdir(home, { recursive: true });
    const args = ['install', '--prefix', home, '--no-audit', '--no-fund', `${name}@${major}`];
    await promisify(execFile)('npm', args);
  }
  return program;
}
