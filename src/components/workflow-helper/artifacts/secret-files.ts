import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReadSecret } from './store.ts';

/** Reads Secrets that are mounted: `<folder>/<secret>/<key>`. */
export function secretFiles(folder: string): ReadSecret {
  return async ({ name, key }) => {
    try {
      return await readFile(join(folder, name, key), 'utf8');
    } catch (cause) {
      throw new Error(`key ${key} of Secret ${name} cannot be read; is it in the Secret?`, { cause });
    }
  };
}
