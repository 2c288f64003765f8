import { chmod, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';

/** It holds the administrator's credentials. */
const OWNER_ONLY = 0o600;

/**
 * Puts a kubeconfig where the user wants it. A file that is there is replaced as a whole or, on a full disk, stays as it was.
 *
 * @throws CommandError (could not run)
 */
export async function writeKubeconfig(from: string, to: string): Promise<void> {
  try {
    const text = await readFile(from);
    const present = await stat(to).catch(() => undefined);
    // A pipe or device takes the text itself; it must not be replaced by a file.
    if (present !== undefined && !present.isFile()) await writeFile(to, text);
    else await replaceFile(to, text);
  } catch (error) {
    const message = `cannot write --kubeconfig ${to}: ${(error as Error).message}`;
    throw new CommandError(message, EXIT.couldNotRun, { cause: error });
  }
}

async function replaceFile(file: string, text: Buffer): Promise<void> {
  const beside = `${file}.${process.pid}.new`;
  try {
    await writeFile(beside, text, { mode: OWNER_ONLY });
    await chmod(beside, OWNER_ONLY);
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
