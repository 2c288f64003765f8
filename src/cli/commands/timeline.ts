import { type Command, Option } from 'commander';
import type { TimelineOptions } from '../actions/timeline.ts';
import { contextOption, type Done, kubeconfigOption, namespaceOption } from '../common-options.ts';

/** `turnsole timeline`. */
export function addTimeline(program: Command, done: Done): void {
  program
    .command('timeline')
    .description(
      'print what was done in the runs of an engine, or in a workflow with its engines: every step with time, actor and object; also when the engine is gone',
    )
    .argument(
      '<engine|result|workflow>',
      'name of the ChaosEngine, of one of its ChaosResults, or of a Workflow (workflow/NAME where an engine has that name too)',
    )
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(namespaceOption())
    .option('--all-runs', 'all runs that are recorded, not only the last one')
    .addOption(
      new Option('-o, --output <format>', 'output format; html is a page of its own')
        .choices(['text', 'json', 'html'])
        .default('text'),
    )
    .option('-f, --file <file>', 'write to a file instead of standard output')
    .action(async (engine: string, options: TimelineOptions) => {
      done(await (await import('../actions/timeline.ts')).run(engine, options));
    });
}
