import type { Command } from 'commander';
import type { UninstallOptions } from '../actions/uninstall.ts';
import { contextOption, type Done, durationOption, kubeconfigOption } from '../common-options.ts';

/** `turnsole uninstall`. */
export function addUninstall(program: Command, done: Done): void {
  program
    .command('uninstall')
    .description('stop and revert all chaos, then remove everything that install has made')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .option('-n, --namespace <name>', 'namespace of the components', 'litmus')
    .option('--keep-crds', 'keep the definitions of the chaos kinds, with all engines and results')
    .option('--delete-data', "delete the control plane's claim and key as well (default: they stay)")
    .addOption(durationOption('--timeout <duration>', 'limit for chaos to be reverted', '3m'))
    .option('-y, --yes', 'yes, delete engines, schedules and results as well')
    .action(async (options: UninstallOptions) => {
      done(await (await import('../actions/uninstall.ts')).run(options));
    });
}
