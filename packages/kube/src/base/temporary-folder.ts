import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** No folder for temporary files can be made. */
export class TemporaryFolderError extends Error {
  override readonly name = 'TemporaryFolderError';
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  ENOTDIR: 'it is no folder',
  EACCES: 'this user may not write to it',
  EPERM: 'this user may not write to it',
  EROFS: 'it can only be read',
  ENOSPC: 'its disk is full',
};

/**
 * Makes a new folder for temporary files.
 *
 * @param prefix what its name begins with
 * @throws TemporaryFolderError that says why not, and what helps
 */
export function makeTemporaryFolder(prefix: string): string {
  const place = tmpdir();
  try {
    return mkdtempSync(join(place, prefix));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new TemporaryFolderError(
      `cannot make a temporary folder in ${place}: ${REASONS[code] ?? message}; name another place by the variable TMPDIR`,
      { cause: error },
    );
  }
}
