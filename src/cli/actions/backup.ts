import { open, rename, rm } from 'node:fs/promises';
import { writeBackup } from '../../controlplane/store/backup/write-backup.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { CommandError } from '../../services/errors.ts';
import { type DatabaseOptions, databaseOf } from '../server/database-options.ts';
import { serverError } from '../server/server-error.ts';

/** Options of `turnsole backup`. */
export interface BackupOptions extends DatabaseOptions {
  readonly file: string;
}

/** The file holds password hashes and sealed secrets: only the server's user may read it. */
const OWNER_ONLY = 0o600;

/** Writes everything of a server's database into a file; the server may run. */
export async function run(options: BackupOptions): Promise<number> {
  const location = databaseOf(options, process.env);
  const partial = `${options.file}.partial`;
  try {
    const file = await open(partial, 'w', OWNER_ONLY);
    // The stream closes the file, after it is on the disk.
    const rows = await writeBackup(location, file.createWriteStream({ flush: true }), Date.now());
    await rename(partial, options.file);
    console.log(`${options.file}: ${rows} rows`);
    if ('folder' in location) {
      console.log(`secrets in it are sealed: keep ${location.folder}/secret.key as well, at another place`);
    }
    return EXIT.pass;
  } catch (error) {
    await rm(partial, { force: true });
    throw reportedError(error, options.file);
  }
}

function reportedError(error: unknown, file: string): unknown {
  const fromServer = serverError(error);
  if (fromServer !== error || (error as NodeJS.ErrnoException).syscall === undefined) return fromServer;
  return new CommandError(`cannot write ${file}: ${(error as Error).message}`, 'FILE_NOT_WRITTEN', {
    cause: error,
  });
}
