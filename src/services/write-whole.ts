import { randomBytes } from 'node:crypto';
import { chmod, lstat, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a whole file: replaces an existing one in one step; on a full disk the old file stays as it was, and no cut-off file
 * is left. A pipe or device takes the text itself; it must not be replaced by a file.
 *
 * @param mode of the file @default that of the existing file, or the usual one of new files
 * @throws Error for a file that another user has put there, see {@link refusePlanted}
 */
export async function writeWhole(file: string, text: string | Uint8Array, mode?: number): Promise<void> {
  await refusePlanted(file);
  const present = await stat(file).catch(() => undefined);
  if (present !== undefined && !present.isFile()) return writeFile(file, text);
  // A link stays one.
  const target = present === undefined ? file : await realpath(file);
  // A name that nobody can have put a link or an open file at beforehand.
  const beside = `${target}.${randomBytes(6).toString('hex')}.new`;
  const wanted = mode ?? present?.mode;
  try {
    await writeFile(beside, text, { flag: 'wx', ...(wanted !== undefined && { mode: wanted }) });
    if (wanted !== undefined) await chmod(beside, wanted);
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => {});
    // The file may be written, but its folder may not.
    const { code } = error as NodeJS.ErrnoException;
    if (present === undefined || (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS')) throw error;
    await writeFile(target, text);
  }
}

/** Anybody makes files there, and only their owners replace them: /tmp. */
const SHARED_FOLDER = 0o1002;

/**
 * Refuses a file, link, pipe or folder of another user in a folder that everybody writes to: it could lead what is written into a file of its
 * reader's choice, or hand it to him. Linux has the same rule (`fs.protected_symlinks`), but not on every system, and not for who replaces
 * files. What is not there is not refused.
 *
 * @throws Error with what to do
 */
export async function refusePlanted(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined || found.uid === process.geteuid?.()) return;
  const folder = await stat(dirname(path));
  if ((folder.mode & SHARED_FOLDER) !== SHARED_FOLDER || found.uid === folder.uid) return;
  throw new Error(
    `it belongs to another user (uid ${found.uid}), in a folder that everybody writes to; remove it, or name another place`,
  );
}
