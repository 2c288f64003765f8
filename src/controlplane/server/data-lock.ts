import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@turnsole/kube/text/error-message';
import { UsageError } from '../../process/usage-error.ts';

const LOCK_FILE = 'server.lock';
/** SQLITE_BUSY: another process has the lock. */
const BUSY = 5;

/**
 * Locks a data folder for this process: two servers on one file would not see each other's changes. The kernel frees the lock when the
 * process ends, whatever the reason.
 *
 * @returns unlocks the folder
 * @throws UsageError if another server has it, or it is not writable
 */
export async function lockDataFolder(folder: string): Promise<() => void> {
  const { DatabaseSync } = await import('node:sqlite');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lock = new DatabaseSync(join(folder, LOCK_FILE), { timeout: 0 });
    try {
      lock.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      lock.close();
      throw error;
    }
    return () => lock.close();
  } catch (error) {
    if ((error as { errcode?: number }).errcode === BUSY) {
      throw new UsageError(
        `another server works on ${folder}: stop it first, give this one another --data, or let both use PostgreSQL with --database`,
      );
    }
    throw new UsageError(`cannot use the data folder ${folder}: ${messageOf(error)}`);
  }
}
