import { type Command, Option } from 'commander';
import type { GetOptions, ListOptions } from '../../actions/workflow/list.ts';
import type { LogsOptions } from '../../actions/workflow/logs.ts';
import type { WaitOptions, WatchOptions } from '../../actions/workflow/watch.ts';
import type { Done } from '../../common-options.ts';
import { lineOptions } from '../../log-lines.ts';
import { parseDurationOption, parseNamesOption } from '../../options.ts';
import { clusterCommand, nodeSelectorOption, outputOption, selectorOptions } from './options.ts';

/** `list`, `get`, `watch`, `wait`, `logs`. */
export function addLook(parent: Command, done: Done): void {
  const list = clusterCommand(parent, 'list')
    .description('list workflows, the newest first')
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('--running', 'only those that have not ended')
    .option('--completed', 'only those that have ended')
    .option('--resubmitted', 'only those that were submitted again')
    .addOption(new Option('--status <phases>', 'only those in these phases').argParser(parseNamesOption))
    .addOption(new Option('--since <duration>', 'only those created since').argParser(parseDurationOption))
    .addOption(
      new Option('--older <duration>', 'only those that ended earlier').argParser(parseDurationOption),
    )
    .option('--prefix <text>', 'only those whose name begins so')
    .option('--no-headers', 'without the line of headings')
    .addOption(outputOption('name', 'json', 'yaml', 'wide'))
    .action(async (options: ListOptions) => {
      done(await (await import('../../actions/workflow/list.ts')).list(options));
    });
  selectorOptions(list);

  clusterCommand(parent, 'get')
    .description('show workflows: how they stand, and their steps as a tree')
    .argument('<name...>', 'names of workflows, or @latest')
    .addOption(nodeSelectorOption('only these nodes, such as phase=Failed or displayName=a'))
    .addOption(new Option('--status <phases>', 'only nodes in these phases').argParser(parseNamesOption))
    .addOption(outputOption('name', 'json', 'yaml', 'short', 'wide'))
    .action(async (names: string[], options: GetOptions) => {
      done(await (await import('../../actions/workflow/list.ts')).get(names, options));
    });

  clusterCommand(parent, 'watch')
    .description('show the tree of a workflow until it has ended')
    .argument('<name>', 'name of the workflow, or @latest')
    .addOption(nodeSelectorOption('only these nodes'))
    .action(async (name: string, options: WatchOptions) => {
      done(await (await import('../../actions/workflow/watch.ts')).watch(name, options));
    });

  clusterCommand(parent, 'wait')
    .description('wait until workflows have ended: exit code 0 when all succeeded, 1 when not')
    .argument('<name...>', 'names of workflows, or @latest')
    .option('--ignore-not-found', 'those that are not there have ended')
    .addOption(
      new Option('--timeout <duration>', 'give up after so long (exit code 3)').argParser(
        parseDurationOption,
      ),
    )
    .action(async (names: string[], options: WaitOptions) => {
      done(await (await import('../../actions/workflow/watch.ts')).wait(names, options));
    });

  const logs = clusterCommand(parent, 'logs')
    .description('print what the pods of a workflow print')
    .argument('<name>', 'name of the workflow, or @latest')
    .argument('[pod]', 'only this pod')
    .option('-f, --follow', 'until the workflow has ended')
    .option('-c, --container <name>', 'container of the pods (default: main)')
    .option('-l, --selector <selector>', 'only pods with these labels')
    .action(async (name: string, pod: string | undefined, options: LogsOptions) => {
      done(await (await import('../../actions/workflow/logs.ts')).run(name, pod, options));
    });
  lineOptions(logs);
}
