import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { lockDataFolder } from '../../controlplane/server/data-lock.ts';
import { restoreBackup } from '../../controlplane/store/backup/restore-backup.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { CommandError } from '../../services/errors.ts';
import { type DatabaseOptions, databaseOf } from '../server/database-options.ts';
import { serverError } from '../server/server-error.ts';

/** Fills an empty database from a backup, of the same kind or the other one. */
export async function run(file: string, options: DatabaseOptions): Promise<number> {
  await access(file).catch((error: Error) => {
    throw new CommandError(`cannot read ${file}: ${error.message}`, 'OPTION_INVALID', { cause: error });
  });
  const location = databaseOf(options, process.env);
  try {
    const unlock = 'folder' in location ? await lockDataFolder(location.folder) : () => {};
    try {
      const rows = await restoreBackup(location, createReadStream(file), Date.now());
      console.log(`${rows} rows restored`);
      console.log(
        'start the server with the key that the backup was made with: secret.key in its data folder, or TURNSOLE_SECRET_KEY',
      );
      return EXIT.pass;
    } finally {
      unlock();
    }
  } catch (error) {
    throw serverError(error);
  }
}
