/**
 * The everyday suite: tests that need nothing but this machine.
 *
 *   npm test [-- --all | --of-the-user] [--share K/N] [--again]
 *
 * With `--all` also those that take minutes by their nature (files.ts says which), and the others in all their variants
 * (../support/variants.ts): what has to pass before a release. With
 * `--of-the-user` only the files of both that may come out otherwise for another user: where all have passed as root, these are left. Exits
 * with 1 when something failed. With `--again`, for machines that nobody watches, files with a failure are run once more, one at a time: what
 * fails twice fails, and what does not is listed, so that it can be mended. With `--share 2/3`, of the files that take minutes only the second
 * third (docs/decisions/0057-a-share-of-the-long-tests-at-each-landing.md). At the end it says which files took longest.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPage } from '../../build/page.ts';
import {
  postgresPrograms,
  SHARED_POSTGRES,
  startPostgres,
} from '../../src/controlplane/store/testing/postgres-server.ts';
import { suiteCompileCache } from '../support/compile-cache.ts';
import { formatTimes, readTimes, TIMES_FILE } from '../support/file-times.ts';
import { listed, runFiles, runOnceMore } from '../support/run-files.ts';
import { VARIANTS } from '../support/variants.ts';
import { BUILT_PAGE } from '../web/page-server.ts';
import { everydayFiles, filesOfTheUser, inTurn, readShare, shareOf } from './files.ts';

/**
 * Many more than there are processors: of the time that the files take, three quarters are waits for clusters, leases and pods. No more
 * than that, for each may have a cluster of several hundred MB.
 */
const AT_ONCE = Math.min(16, Math.max(4, 4 * availableParallelism()));

/** Nothing of it outlives the tests; several files at a time have servers with a dozen connections each. */
const POSTGRES = { fsync: 'off', max_connections: '400' };

/** How many of the files that took longest are named. */
const LONGEST = 25;

const together = (name: string): string => join(import.meta.dirname, `${name}.together.ts`);

const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    'of-the-user': { type: 'boolean', default: false },
    share: { type: 'string', default: '1/1' },
    again: { type: 'boolean', default: false },
  },
});
const share = readShare(values.share);
const { groups, apart, alone } = chosenFiles();
const folder = mkdtempSync(join(tmpdir(), 'turnsole-times-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const times = join(folder, 'times.jsonl');
// One server for all files that need one: each has databases of its own in it.
const postgres = postgresPrograms() === undefined ? undefined : await startPostgres(POSTGRES);
const page = join(folder, 'page');
await Promise.all([buildPage(join(import.meta.dirname, '../..'), page), compileFirst()]);
const env = {
  [TIMES_FILE]: times,
  [BUILT_PAGE]: page,
  ...(!values.all && !values['of-the-user'] && { [VARIANTS]: 'first' }),
  ...(postgres !== undefined && { [SHARED_POSTGRES]: postgres.url }),
};
const failed = [
  // The groups first of those that compute: each is long itself.
  ...(await runFiles(inTurn([...groups.map(together), ...apart]), { concurrency: AT_ONCE, env })),
  ...(await runFiles(alone, { concurrency: 1, env })),
];
console.log(`\n${formatTimes(readTimes(times), LONGEST, process.cwd())}`);
const failures = values.again ? await runOnceMore(failed) : failed;
if (failures.length > 0) {
  console.log(`\nFailed${values.again ? ' twice' : ''}:${listed(failures)}`);
  process.exitCode = 1;
}
await postgres?.stop();

/** Fills the cache of compiled code: the files that begin together would each compile the same modules. */
async function compileFirst(): Promise<void> {
  const program = join(import.meta.dirname, 'compile-first.ts');
  const env = { ...process.env, NODE_COMPILE_CACHE: suiteCompileCache() };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
}

/** What the flags ask for: files that share a process by the names of their groups. */
function chosenFiles(): Record<'groups' | 'apart' | 'alone', readonly string[]> {
  if (values['of-the-user']) {
    const { apart, alone } = filesOfTheUser();
    return { groups: [], apart: shareOf(apart, share), alone: shareOf(alone, share) };
  }
  const { shared, apart, alone, long } = everydayFiles();
  const groups = ['pure', ...Object.keys(shared)];
  const short = groups.filter((name) => !long.groups.some((group) => group === name));
  if (!values.all) return { groups: short, apart, alone };
  return {
    groups: [...short, ...shareOf(long.groups, share)],
    apart: [...apart, ...shareOf(long.apart, share)],
    alone: [...alone, ...shareOf(long.alone, share)],
  };
}
