/** `node --test` as a child, by suites that want to know which files failed and may run them once more. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const REPORTER = join(import.meta.dirname, 'failed-files.ts');
const LAST_CALL = new URL('last-call.ts', import.meta.url).href;

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
 * Runs test files, with their report on the standard output.
 *
 * @param patterns files or globs, from the working directory
 * @returns those in which something failed, by absolute path
 * @throws Error when the tests ended badly and none is to blame: a bad pattern, or a signal
 */
export async function runFiles(patterns: readonly string[], options: RunFilesOptions): Promise<string[]> {
  const scratch = await mkdtemp(join(tmpdir(), 'turnsole-tests-'));
  try {
    const list = join(scratch, 'failed');
    const child = spawn(
      process.execPath,
      [
        `--import=${LAST_CALL}`,
        '--test',
        `--test-concurrency=${options.concurrency}`,
        ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
        ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${list}`],
        ...patterns,
      ],
      {
        stdio: ['ignore', 'inherit', 'inherit'],
        env: { ...process.env, ...options.env },
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      },
    );
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    const text = await readFile(list, 'utf8').catch(() => '');
    const files = text.split('\n').filter((line) => line !== '');
    if (code !== 0 && files.length === 0) {
      throw new Error(
        `node --test ended with ${code ?? signal} and names no file that failed: ${patterns.join(' ')}`,
      );
    }
    return files;
  } finally {
    await rm(scratch, { recursive: true });
  }
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
