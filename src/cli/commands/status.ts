import { type Command, Option } from 'commander';
import type { StatusOptions } from '../actions/status.ts';
import { contextOption, type Done, kubeconfigOption } from '../common-options.ts';

/** `turnsole status`. */
export function addStatus(program: Command, done: Done): void {
  program
    .command('status')
    .description(
      'say whether chaos is halted, which workflows run with which engines, what each engine does with all verdicts, and what is in force',
    )
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .option('-n, --namespace <name>', 'only this namespace; default: all')
    .option('-w, --watch', 'go on, and print it again whenever something has changed; Ctrl-C ends it')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .action(async (options: StatusOptions) => {
      done(await (await import('../actions/status.ts')).run(options));
    });
}
