import type { Command } from 'commander';
import type { UiOptions } from '../actions/ui.ts';
import { contextOption, type Done, kubeconfigOption } from '../common-options.ts';
import { parsePortOption } from '../options.ts';

/** `turnsole ui`. */
export function addUi(program: Command, done: Done): void {
  program
    .command('ui')
    .description(
      "show the chaos of a cluster in the browser, live: engines, workflows, schedules, results, and each run's time axis",
    )
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .option('--local', 'start an embedded cluster of its own, which ends with the page')
    .option('--port <port>', 'loopback port of the page (0 = any free one)', parsePortOption, 0)
    .option('--data <dir>', 'folder of what is made in the page (default: $XDG_DATA_HOME/turnsole/ui)')
    .option('--no-open', 'print the link, and do not open a browser')
    .action(async (options: UiOptions) => {
      done(await (await import('../actions/ui.ts')).run(options));
    });
}
