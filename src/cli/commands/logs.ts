import type { Command } from 'commander';
import type { LogsOptions } from '../actions/logs.ts';
import { contextOption, type Done, kubeconfigOption, namespaceOption } from '../common-options.ts';
import { lineOptions } from '../log-lines.ts';

/** `turnsole logs`. */
export function addLogs(program: Command, done: Done): void {
  const logs = program
    .command('logs')
    .description('print what the pods of a run print: runner, experiments, helpers and recoveries')
    .argument('<engine|result>', 'name of the ChaosEngine, or of one of its ChaosResults')
    .argument('[pod]', 'only this pod')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(namespaceOption())
    .option('-f, --follow', 'until the run has ended; one that is yet to begin is awaited')
    .option('--all-runs', 'of all runs whose pods are there, not only the last one')
    .option('-c, --container <name>', 'container of the pods (default: their first)')
    .action(async (engine: string, pod: string | undefined, options: LogsOptions) => {
      done(await (await import('../actions/logs.ts')).run(engine, pod, options));
    });
  lineOptions(logs);
}
