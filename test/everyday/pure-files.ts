/** Test files that may share a process. */
import { readFileSync } from 'node:fs';
import { reaching } from './imports.ts';

/** What a pure test may use of others: nothing here is changed by one test so that another could see it. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...['node:test', 'node:assert/strict', 'node:util', 'node:path', 'node:url', 'node:buffer', 'node:crypto'],
  ...['node:fs', 'node:fs/promises', 'node:os', 'node:events', 'node:stream', 'node:timers/promises'],
  ...['node:perf_hooks', 'fast-check', 'yaml', 'typebox', 'dns-packet', '@marcbachmann/cel-js'],
]);

/** Hooks of a whole file would be hooks of every file of the process; variables and signals are those of all. */
const OF_THE_PROCESS =
  /\b(?:before|after|beforeEach|afterEach)\(|\bmock\.(?:timers|method|module)|\bprocess\.(?!cwd\b|platform\b|getuid\b|execPath\b|version|arch\b)/;

/**
 * Those of some test files that need no process of their own: neither they nor anything that they import, directly or not, starts
 * processes, opens sockets or uses a package that might, and they change nothing that a process has once. Most of the processor time of
 * such a file is the start of Node and its imports, so all of them together take a fourth of what they take apart.
 */
export function pureFiles(files: readonly string[]): string[] {
  const others = new Set(reaching(files, ({ packages }) => packages.some((name) => !HARMLESS.has(name))));
  return files.filter((file) => !others.has(file) && !OF_THE_PROCESS.test(readFileSync(file, 'utf8')));
}
