import { type Command, Option } from 'commander';
import type { ChartOptions, ListOptions, ShowOptions } from '../actions/faults.ts';
import type { Done } from '../common-options.ts';
import type { ScaffoldOptions } from '../faults/scaffold-options.ts';
import { takeOwnFaults } from '../own-faults.ts';

/** `turnsole faults list`, `show`, `chart` and `new`. */
export function addFaults(program: Command, done: Done): void {
  const faults = program
    .command('faults')
    .description('the faults there are: list, describe, write a new one');
  const output = (): Option =>
    new Option('-o, --output <format>', 'output format').choices(['text', 'json', 'yaml']).default('text');
  takeOwnFaults(faults.command('list'))
    .description('every fault with a sentence')
    .addOption(output())
    .action(async (options: ListOptions) => {
      done(await (await import('../actions/faults.ts')).list(options));
    });
  takeOwnFaults(faults.command('show'))
    .description('what a fault does to what, its settings with form and default, its permissions')
    .argument('<name>', 'name of the fault')
    .option('--all', 'describe the common settings as well')
    .addOption(output())
    .action(async (name: string, options: ShowOptions) => {
      done(await (await import('../actions/faults.ts')).show(name, options));
    });
  takeOwnFaults(faults.command('chart'))
    .description('print ChaosExperiment, service account and roles of faults, to be applied or kept')
    .argument('<name...>', 'names of faults')
    .option('-n, --namespace <name>', 'namespace of the engines', 'default')
    .option('--image <name>', 'image of the experiments (default: turnsole/turnsole of this version)')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['yaml', 'json']).default('yaml'))
    .action(async (names: string[], options: ChartOptions) => {
      done(await (await import('../actions/faults.ts')).chart(names, options));
    });
  faults
    .command('new')
    .description('write a fault and its test into a checkout of the project, and register it')
    .argument('<name>', 'its name, such as pod-freeze')
    .addOption(
      new Option('--targets <kind>', 'what it hits').choices(['pods', 'nodes', 'containers']).default('pods'),
    )
    .addOption(
      new Option('--shape <shape>', 'repeated in rounds, or held and reverted')
        .choices(['pulse', 'sustained'])
        .default('sustained'),
    )
    .option('--dir <folder>', 'root of the checkout', '.')
    .action(async (name: string, options: ScaffoldOptions) => {
      done(await (await import('../actions/faults.ts')).scaffold(name, options));
    });
}
