import { type Command, Option } from 'commander';
import type {
  NodeSetOptions,
  ResumeOptions,
  StopOptions,
  SuspendOptions,
} from '../../actions/workflow/control.ts';
import type { DeleteOptions } from '../../actions/workflow/delete.ts';
import type { Done } from '../../common-options.ts';
import { parseDurationOption, parseNamesOption } from '../../options.ts';
import { clusterCommand, collectOption, nodeSelectorOption, selectorOptions } from './options.ts';

const NAMES = ['[name...]', 'names of workflows, or @latest'] as const;

/** `stop`, `terminate`, `suspend`, `resume`, `node set`, `delete`. */
export function addControl(parent: Command, done: Done): void {
  const stop = clusterCommand(parent, 'stop')
    .description('end workflows; exit handlers still run')
    .argument(...NAMES)
    .addOption(nodeSelectorOption('end only these nodes that are suspended'))
    .option('--message <text>', 'message of the nodes that are ended')
    .action(async (names: string[], options: StopOptions) => {
      done(await (await import('../../actions/workflow/control.ts')).stop(names, options));
    });
  selectorOptions(stop);

  const terminate = clusterCommand(parent, 'terminate')
    .description('end workflows at once; exit handlers do not run')
    .argument(...NAMES)
    .action(async (names: string[], options: SuspendOptions) => {
      done(await (await import('../../actions/workflow/control.ts')).terminate(names, options));
    });
  selectorOptions(terminate);

  const suspend = clusterCommand(parent, 'suspend')
    .description('begin nothing more of workflows; what runs goes on')
    .argument(...NAMES)
    .action(async (names: string[], options: SuspendOptions) => {
      done(await (await import('../../actions/workflow/control.ts')).suspend(names, options));
    });
  selectorOptions(suspend);

  const resume = clusterCommand(parent, 'resume')
    .description('let suspended workflows and their suspended nodes go on')
    .argument(...NAMES)
    .addOption(nodeSelectorOption('only these nodes, such as displayName=approve'))
    .addOption(
      collectOption('--output-parameter <name=value>', 'output that the node is to have (repeatable)'),
    )
    .option('--message <text>', 'message of the nodes')
    .action(async (names: string[], options: ResumeOptions) => {
      done(await (await import('../../actions/workflow/control.ts')).resume(names, options));
    });
  selectorOptions(resume);

  const node = parent.command('node').description('nodes of a workflow');
  clusterCommand(node, 'set')
    .description('write outputs, a message or a phase into suspended nodes')
    .argument('<name>', 'name of the workflow, or @latest')
    .addOption(nodeSelectorOption('which nodes, such as displayName=approve').makeOptionMandatory())
    .addOption(
      collectOption('-p, --output-parameter <name=value>', 'output that the node is to have (repeatable)'),
    )
    .option('--message <text>', 'message of the nodes')
    .addOption(
      new Option('--phase <phase>', 'phase of the nodes').choices([
        'Succeeded',
        'Failed',
        'Error',
        'Skipped',
      ]),
    )
    .action(async (name: string, options: NodeSetOptions) => {
      done(await (await import('../../actions/workflow/control.ts')).nodeSet(name, options));
    });

  const remove = clusterCommand(parent, 'delete')
    .description('delete workflows with their pods')
    .argument(...NAMES)
    .option('--all', 'all of the namespace')
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('--completed', 'only those that have ended')
    .option('--resubmitted', 'only those that were submitted again')
    .addOption(
      new Option('--older <duration>', 'only those that ended earlier').argParser(parseDurationOption),
    )
    .addOption(new Option('--status <phases>', 'only those in these phases').argParser(parseNamesOption))
    .option('--prefix <text>', 'only those whose name begins so')
    .option('--dry-run', 'say which would be deleted')
    .action(async (names: string[], options: DeleteOptions) => {
      done(await (await import('../../actions/workflow/delete.ts')).run(names, options));
    });
  selectorOptions(remove);
}
