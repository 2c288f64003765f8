/**
 * The everyday suite: all tests that need nothing but this machine.
 *
 *   npm test [-- --again]
 *
 * Exits with 1 when something failed. With `--again`, for machines that nobody watches, files with a failure are run once more,
 * one at a time: what fails twice fails, and what does not is listed, so that it can be mended.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';

/** What is run at the same time. Each of several files starts clusters, so more of them only wait for one another. */
const PARTS = [
  { patterns: ['src/**/*.test.ts', 'test/**/*.test.ts'], concurrency: 3 },
  { patterns: ['test/**/*.alone.ts'], concurrency: 1 },
];
const REPORTER = join(import.meta.dirname, 'failed-files.ts');

const { values } = parseArgs({ options: { again: { type: 'boolean', default: false } } });
const scratch = await mkdtemp(join(tmpdir(), 'turnsole-tests-'));
const failed: string[] = [];
for (const { patterns, concurrency } of PARTS) failed.push(...(await failedIn(patterns, concurrency)));
const passedLater: string[] = [];
if (values.again && failed.length > 0) {
  console.log(`\nOnce more, one at a time: ${failed.map(named).join(', ')}\n`);
  const still = await failedIn(failed, 1);
  passedLater.push(...failed.filter((file) => !still.includes(file)));
}
await rm(scratch, { recursive: true });
if (failed.length > 0) {
  const list = (files: readonly string[]): string => files.map((file) => `\n  ${named(file)}`).join('');
  const failures = failed.filter((file) => !passedLater.includes(file));
  if (passedLater.length > 0) console.log(`\nFailed once and passed when run again:${list(passedLater)}`);
  if (failures.length > 0) {
    console.log(`\nFailed${values.again ? ' twice' : ''}:${list(failures)}`);
    process.exitCode = 1;
  }
}

/** Runs test files; gives those in which something failed. */
async function failedIn(patterns: readonly string[], concurrency: number): Promise<string[]> {
  const list = join(scratch, 'failed');
  const child = spawn(
    process.execPath,
    [
      '--test',
      `--test-concurrency=${concurrency}`,
      ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
      ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${list}`],
      ...patterns,
    ],
    { stdio: 'inherit' },
  );
  const [code, signal] = await once(child, 'exit');
  const files = (await readFile(list, 'utf8')).split('\n').filter((line) => line !== '');
  if (code !== 0 && files.length === 0) {
    throw new Error(
      `node --test ended with ${code ?? signal} and names no file that failed: ${patterns.join(' ')}`,
    );
  }
  return files;
}

function named(file: string): string {
  return relative(process.cwd(), file);
}
