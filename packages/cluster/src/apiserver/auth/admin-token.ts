import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writePrivately } from '../private-file.ts';

/** The administrator's token of the data directory, made when it is missing. */
export function loadToken(path: string): string {
  if (existsSync(path)) {
    const kept = readFileSync(path, 'utf8').trim();
    if (kept.length >= 32) return kept;
  }
  const token = randomBytes(32).toString('base64url');
  writePrivately(path, `${token}\n`);
  return token;
}
