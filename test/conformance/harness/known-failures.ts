import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../known-failures.json', import.meta.url));

/** Scenarios that our server still answers differently, with the cause. */
export function readKnownFailures(): ReadonlyMap<string, string> {
  // The file holds an object of strings; the test complains about names that are no scenario's.
  return new Map(Object.entries(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string>));
}

export function writeKnownFailures(failures: ReadonlyMap<string, string>): void {
  const sorted = Object.fromEntries([...failures].sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
}
