import { type Command, Option } from 'commander';
import type { HaltOptions } from '../actions/halt.ts';
import { contextOption, type Done, durationOption, kubeconfigOption } from '../common-options.ts';

/** `turnsole halt`. */
export function addHalt(program: Command, done: Done): void {
  program
    .command('halt')
    .description(
      'the safety lever: stop and revert all running chaos, and let none begin until `turnsole resume`',
    )
    .option('--reason <text>', 'why, for those who find their chaos halted', '')
    .addOption(new Option('-n, --namespace <name>', 'only this namespace').conflicts('all'))
    .option('--all', 'the whole cluster (default)')
    .addOption(durationOption('--timeout <duration>', 'how long to wait until all is reverted', '3m'))
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addHelpText(
      'after',
      `
Workflows are not stopped: a step that waits for a stopped engine ends, the next one begins, and an engine that it makes is
held back until \`turnsole resume\`. \`turnsole workflow stop\` ends a workflow.

Exit codes: 0 nothing is in force any more, 1 something is left and named, 3 no cluster.`,
    )
    .action(async (options: HaltOptions) => {
      done(await (await import('../actions/halt.ts')).run(options));
    });
}
