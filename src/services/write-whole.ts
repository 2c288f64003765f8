import { chmod, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';

/**
 * Writes a whole file: replaces an existing one in one step; on a full disk the old file stays as it was, and no cut-off file
 * is left. A pipe or device takes the text itself; it must not be replaced by a file.
 *
 * @param mode of the file @default that of the existing file, or the usual one of new files
 */
export async function writeWhole(file: string, text: string | Uint8Array, mode?: number): Promise<void> {
  const present = await stat(file).catch(() => undefined);
  if (present !== undefined && !present.isFile()) return writeFile(file, text);
  // A link stays one.
  const target = present === undefined ? file : await realpath(file);
  const beside = `${target}.${process.pid}.new`;
  const wanted = mode ?? present?.mode;
  try {
    await writeFile(beside, text, wanted === undefined ? {} : { mode: wanted });
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
