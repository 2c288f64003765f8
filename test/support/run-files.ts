/** Test files, each in a process of its own, by suites that want to know which of them failed. */
import { relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { suiteCompileCache } from './compile-cache.ts';

/** What the process of each test file loads first. */
const PRELOADED = ['own-network.ts', 'blame-by-context.ts', 'last-call.ts'].map(
  (name) => `--import=${new URL(name, import.meta.url).href}`,
);

/** The default limit of a test: one that waits for something that never comes fails, with its name. */
const TEST_LIMIT_MS = 15 * 60_000;

/** The events by which Node reports an error that no code caught. */
const UNCAUGHT = ['uncaughtException', 'unhandledRejection'] as const;

/** The names of files with tests. */
const TEST_FILE = /\.(?:test|alone)\.ts$/;
/** The names of files that run those of others, each as a test by its name. */
const SHARED_PROCESS = /\.together\.ts$/;

/** How test files are run. */
export interface RunFilesOptions {
  /** Files at the same time. */
  readonly concurrency: number;
  /** Variables, besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the tests. */
  readonly signal?: AbortSignal;
}

/**
 * Runs test files, with their report on the standard output. They begin in the order in which they are given.
 *
 * @param files paths, from the working directory
 * @returns those in which something failed, by absolute path
 * @throws Error when the run failed although no file did: the signal ended it, or code of this process, outside of the files, threw an error
 *   that it did not catch; that error is the cause
 */
export async function runFiles(files: readonly string[], options: RunFilesOptions): Promise<string[]> {
  if (files.length === 0) return [];
  const { concurrency, env, signal } = options;
  const failed = new Set<string>();
  let passed: boolean | undefined;
  // The runner only says their messages, after the reports of all files.
  const uncaught: unknown[] = [];
  const note = (error: unknown): number => uncaught.push(error);
  for (const event of UNCAUGHT) process.on(event, note);
  const events = run({
    files: files.map((file) => resolve(file)),
    concurrency,
    timeout: TEST_LIMIT_MS,
    execArgv: PRELOADED,
    env: { ...process.env, NODE_COMPILE_CACHE: suiteCompileCache(), ...env },
    ...(signal === undefined ? {} : { signal }),
  });
  events.on('test:fail', ({ file, name, todo, skip }) => {
    // Files that share a process are tests of it by their names. A test that a shared function has made stands in no test file: the summary names its own.
    const blamed = [name, file].find((one) => one !== undefined && TEST_FILE.test(one));
    if (todo === undefined && skip === undefined && blamed !== undefined) failed.add(resolve(blamed));
  });
  // Each file has a summary as well.
  events.on('test:summary', ({ file, success }) => {
    if (file === undefined) passed = success;
    else if (!success && !SHARED_PROCESS.test(file)) failed.add(resolve(file));
  });
  for await (const text of events.compose(spec)) process.stdout.write(text);
  for (const event of UNCAUGHT) process.off(event, note);
  if (uncaught.length > 0) {
    throw new Error('an error beside the tests, in the process that runs them, was not caught', {
      cause: uncaught[0],
    });
  }
  if (passed !== true && failed.size === 0) {
    throw new Error(`the tests ended badly, and no file is to blame: ${files.map(named).join(' ')}`);
  }
  return [...failed];
}

/**
 * Runs files that failed once more, one at a time (docs/decisions/0021-failed-once-more.md), and says which of them passed now.
 *
 * @returns those that failed again
 */
export async function runOnceMore(
  failed: readonly string[],
  options: Omit<RunFilesOptions, 'concurrency'> = {},
): Promise<string[]> {
  if (failed.length === 0) return [];
  console.log(`\nOnce more, one at a time: ${failed.map(named).join(', ')}\n`);
  const still = await runFiles(failed, { ...options, concurrency: 1 });
  const passed = failed.filter((file) => !still.includes(file));
  if (passed.length > 0) console.log(`\nFailed once and passed when run again:${listed(passed)}`);
  return still;
}

/** A path from the working directory. */
export function named(file: string): string {
  return relative(process.cwd(), file);
}

/** Paths from the working directory, a line each. */
export function listed(files: readonly string[]): string {
  return files.map((file) => `\n  ${named(file)}`).join('');
}
