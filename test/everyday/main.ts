/**
 * The everyday suite: all tests that need nothing but this machine.
 *
 *   npm test [-- --of-the-user] [--again]
 *
 * With `--of-the-user` only the files that may come out otherwise for another user: where all have passed as root, these are left.
 * Exits with 1 when something failed. With `--again`, for machines that nobody watches, files with a failure are run once more,
 * one at a time: what fails twice fails, and what does not is listed, so that it can be mended.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listed, runFiles, runOnceMore } from '../support/run-files.ts';
import { everydayFiles, filesOfTheUser, inTurn } from './files.ts';

/** More than there are processors: most of those that run at a time wait for clusters, leases and pods. */
const AT_ONCE = Math.max(4, 2 * availableParallelism());

const together = (name: string): string => join(import.meta.dirname, `${name}.together.ts`);

const { values } = parseArgs({
  options: {
    'of-the-user': { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
  },
});
const { pure, shared, apart, alone } = values['of-the-user'] ? filesOfTheUser() : everydayFiles();
const groups = Object.entries({ ...shared, pure })
  .filter(([, files]) => files.length > 0)
  .map(([name]) => together(name));
const failed = [
  // The groups first of those that compute: each is long itself.
  ...(await runFiles(inTurn([...groups, ...apart]), { concurrency: AT_ONCE })),
  ...(await runFiles(alone, { concurrency: 1 })),
];
const failures = values.again ? await runOnceMore(failed) : failed;
if (failures.length > 0) {
  console.log(`\nFailed${values.again ? ' twice' : ''}:${listed(failures)}`);
  process.exitCode = 1;
}
