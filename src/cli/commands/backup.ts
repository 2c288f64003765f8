import { type Command, Option } from 'commander';
import type { BackupOptions } from '../actions/backup.ts';
import type { Done } from '../common-options.ts';
import type { DatabaseOptions } from '../server/database-options.ts';

/** `turnsole backup` and `turnsole restore`. */
export function addBackup(program: Command, done: Done): void {
  program
    .command('backup')
    .description('write everything in the database of "turnsole server" into a file, while it runs')
    .addOption(dataOption())
    .addOption(databaseOption())
    .requiredOption('--file <file>', 'where to, such as turnsole-2030-01-31.backup')
    .action(async (options: BackupOptions) => {
      done(await (await import('../actions/backup.ts')).run(options));
    });
  program
    .command('restore')
    .description('fill an empty database from a backup, also one of the other kind (SQLite, PostgreSQL)')
    .argument('<file>', 'what "turnsole backup" has written')
    .addOption(dataOption())
    .addOption(databaseOption())
    .action(async (file: string, options: DatabaseOptions) => {
      done(await (await import('../actions/restore.ts')).run(file, options));
    });
}

function dataOption(): Option {
  return new Option('--data <dir>', 'data folder of the server (default: $XDG_DATA_HOME/turnsole/server)');
}

function databaseOption(): Option {
  return new Option('--database <url>', 'postgres://… (environment TURNSOLE_DATABASE_URL)');
}
