import { readFile } from 'node:fs/promises';
import { CommandError } from '../../services/errors.ts';
import { writeWhole } from '../../services/write-whole.ts';

/** It holds the administrator's credentials. */
const OWNER_ONLY = 0o600;

/**
 * Puts a kubeconfig where the user wants it. An existing file is replaced as a whole or, on a full disk, stays as it was.
 *
 * @throws CommandError (could not run)
 */
export async function writeKubeconfig(from: string, to: string): Promise<void> {
  try {
    await writeWhole(to, await readFile(from), OWNER_ONLY);
  } catch (error) {
    const message = `cannot write --kubeconfig ${to}: ${(error as Error).message}`;
    throw new CommandError(message, 'FILE_NOT_WRITTEN', { cause: error });
  }
}
