/**
 * For test files that open pages: puts the process of such a file into a network of its own, where nothing but its loopback is. Chromium gives up
 * every request under way when an interface of its network comes or goes, as those of the pods of other tests do all the time. Without root
 * pods have no interfaces, and nothing is changed. Loaded before the file.
 */
import { spawnSync } from 'node:child_process';

/** Tells the process that it is in its own network already. */
const MARK = 'TURNSOLE_TEST_OWN_NETWORK';
const ENTER = ['--net', '--', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"'];

const file = process.argv[1] ?? '';
if (/\/test\/web\/[\w-]+\.test\.ts$/.test(file) && process.env[MARK] !== file && process.getuid?.() === 0) {
  const env = { ...process.env, [MARK]: file };
  // A root without the right to make networks stays where it is.
  if (spawnSync('unshare', [...ENTER, 'true']).status === 0) {
    const found = spawnSync('sh', ['-c', 'command -v unshare'], { encoding: 'utf8' }).stdout.trim();
    process.execve?.(
      found,
      ['unshare', ...ENTER, process.execPath, ...process.execArgv, ...process.argv.slice(1)],
      env,
    );
  }
}
