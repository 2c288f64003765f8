import { type Command, Option } from 'commander';
import type { BackfillOptions } from '../../actions/workflow/cron.ts';
import type { LibraryOptions } from '../../actions/workflow/library.ts';
import { type Done, integerOption } from '../../common-options.ts';
import { clusterCommand } from './options.ts';
import { addObjectCommands } from './template.ts';

/** `cron …`. */
export function addCron(parent: Command, done: Done): void {
  const cron = parent
    .command('cron')
    .description('CronWorkflows: create, list, get, suspend, resume, lint, delete, backfill');
  addObjectCommands(cron, done, 'CronWorkflow');
  for (const [word, description] of [
    ['suspend', 'start no workflows any more'],
    ['resume', 'start workflows again'],
  ] as const) {
    clusterCommand(cron, word)
      .description(description)
      .argument('<name...>', 'names of CronWorkflows')
      .action(async (names: string[], options: LibraryOptions) => {
        done(
          await (await import('../../actions/workflow/cron.ts')).setSuspended(
            names,
            word === 'suspend',
            options,
          ),
        );
      });
  }
  clusterCommand(cron, 'backfill')
    .description('create the workflows of times that have passed, each when the one before it has ended')
    .argument('<name>', 'name of the CronWorkflow')
    .addOption(new Option('--start <time>', 'first time, RFC 3339').makeOptionMandatory())
    .addOption(new Option('--end <time>', 'last time, RFC 3339; default: now'))
    .addOption(integerOption('--parallel <n>', 'how many may run at a time', 1).default(1))
    .option('--dry-run', 'say for which times')
    .action(async (name: string, options: BackfillOptions) => {
      done(await (await import('../../actions/workflow/cron.ts')).backfill(name, options));
    });
}
