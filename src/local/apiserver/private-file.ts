import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file that only its owner can read (mode 0600), whole or not at all, also when the machine stops meanwhile. */
export function writePrivately(path: string, content: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  const file = openSync(temporary, 'w', 0o600);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}
