import { type Command, Option } from 'commander';
import type { DoctorOptions } from '../actions/doctor.ts';
import { contextOption, type Done, kubeconfigOption, namespaceOption } from '../common-options.ts';

/** `turnsole doctor`. */
export function addDoctor(program: Command, done: Done): void {
  program
    .command('doctor')
    .description(
      'say what will and will not work on this machine, or with --kubeconfig on that cluster, and what helps',
    )
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(namespaceOption())
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText(
      'after',
      `
It starts an embedded cluster for a moment, and writes nothing to a cluster of --kubeconfig.

Exit codes: 0 experiments run, perhaps not all faults; 3 none would.`,
    )
    .action(async (options: DoctorOptions) => {
      done(await (await import('../actions/doctor.ts')).run(options));
    });
}
