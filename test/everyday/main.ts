/**
 * The everyday suite: all tests that need nothing but this machine.
 *
 *   npm test [-- --again]
 *
 * Exits with 1 when something failed. With `--again`, for machines that nobody watches, files with a failure are run once more,
 * one at a time: what fails twice fails, and what does not is listed, so that it can be mended.
 */
import { parseArgs } from 'node:util';
import { listed, runFiles, runOnceMore } from '../support/run-files.ts';

/** What is run at the same time. Each of several files starts clusters, so more of them only wait for one another. */
const PARTS = [
  { patterns: ['src/**/*.test.ts', 'test/**/*.test.ts'], concurrency: 3 },
  { patterns: ['test/**/*.alone.ts'], concurrency: 1 },
];

const { values } = parseArgs({ options: { again: { type: 'boolean', default: false } } });
const failed: string[] = [];
for (const { patterns, concurrency } of PARTS) failed.push(...(await runFiles(patterns, { concurrency })));
const failures = values.again ? await runOnceMore(failed) : failed;
if (failures.length > 0) {
  console.log(`\nFailed${values.again ? ' twice' : ''}:${listed(failures)}`);
  process.exitCode = 1;
}
