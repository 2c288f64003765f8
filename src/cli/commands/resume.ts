import { type Command, Option } from 'commander';
import type { ResumeOptions } from '../actions/resume.ts';
import { contextOption, type Done, kubeconfigOption } from '../common-options.ts';

/** `turnsole resume`. */
export function addResume(program: Command, done: Done): void {
  program
    .command('resume')
    .description('release the safety lever: chaos that was created meanwhile begins')
    .addOption(new Option('-n, --namespace <name>', 'only this namespace').conflicts('all'))
    .option('--all', 'the whole cluster (default)')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .action(async (options: ResumeOptions) => {
      done(await (await import('../actions/resume.ts')).run(options));
    });
}
