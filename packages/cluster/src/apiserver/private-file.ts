import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file that only its owner can read (mode 0600), whole or not at all. The keeper of the folder syncs it. */
export function writePrivately(path: string, content: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content, { mode: 0o600 });
  renameSync(temporary, path);
}
