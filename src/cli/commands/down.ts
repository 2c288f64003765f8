import type { Command } from 'commander';
import type { DownOptions } from '../actions/down.ts';
import type { Done } from '../common-options.ts';

/** `turnsole down`. */
export function addDown(program: Command, done: Done): void {
  program
    .command('down')
    .description('stop a cluster that `turnsole up` started')
    .option('--name <name>', 'name of the cluster', 'default')
    .option('--all', 'stop every cluster of this user')
    .action(async (options: DownOptions) => {
      done(await (await import('../actions/down.ts')).run(options));
    });
}
