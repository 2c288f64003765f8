import type { Command } from 'commander';
import type { ResubmitOptions, RetryOptions } from '../../actions/workflow/again.ts';
import type { SubmitOptions } from '../../actions/workflow/submit.ts';
import { type Done, integerOption } from '../../common-options.ts';
import {
  clusterCommand,
  followOptions,
  nodeSelectorOption,
  outputOption,
  pairsOption,
  parameterOptions,
  selectorOptions,
} from './options.ts';

const EXIT_CODES = `
Exit codes with --wait, --watch and --log: 0 Succeeded, 1 Failed or Error, 3 it was deleted meanwhile.`;

/** `submit`, `resubmit`, `retry`. */
export function addSubmit(parent: Command, done: Done): void {
  const submit = clusterCommand(parent, 'submit')
    .description('create workflows: of files, or of a template or CronWorkflow of the cluster')
    .argument('[file...]', 'manifests with Workflows (YAML or JSON), files or folders')
    .option('--from <kind/name>', 'workflowtemplate/NAME, clusterworkflowtemplate/NAME or cronwf/NAME')
    .option('--name <name>', 'name of the workflow')
    .option('--generate-name <prefix>', 'beginning of the name, to which the cluster adds five characters')
    .option('--entrypoint <template>', 'template that is run')
    .option('--serviceaccount <name>', 'service account of its pods')
    .addOption(integerOption('--priority <n>', 'those with a higher one begin first', -(2 ** 31)))
    .option('--priority-class-name <name>', 'priority class of its pods')
    .option('--instanceid <id>', 'instance of the controller that is to run it')
    .addOption(pairsOption('-L, --labels <name=value,…>', 'labels of the workflow'))
    .addOption(pairsOption('--annotations <name=value,…>', 'annotations of the workflow'))
    .option('--dry-run', 'print the object and create nothing; no cluster is asked but for --from')
    .option('--server-dry-run', 'let the cluster check it, and create nothing')
    .addOption(outputOption('json', 'yaml', 'name'))
    .addHelpText(
      'after',
      `${EXIT_CODES}

Examples:
  turnsole workflow submit hello.yaml --watch
  turnsole workflow submit --from workflowtemplate/chaos -p appNamespace=shop --wait`,
    )
    .action(async (files: string[], options: SubmitOptions) => {
      done(await (await import('../../actions/workflow/submit.ts')).run(files, options));
    });
  followOptions(parameterOptions(submit));

  const resubmit = clusterCommand(parent, 'resubmit')
    .description('create workflows anew of what earlier ones ran')
    .argument('[name...]', 'names of workflows, or @latest')
    .option('--memoized', 'of one that failed: take over what its pods have done')
    .addOption(integerOption('--priority <n>', 'those with a higher one begin first', -(2 ** 31)))
    .addOption(outputOption('json', 'yaml', 'name'))
    .addHelpText('after', EXIT_CODES)
    .action(async (names: string[], options: ResubmitOptions) => {
      done(await (await import('../../actions/workflow/again.ts')).resubmit(names, options));
    });
  followOptions(parameterOptions(selectorOptions(resubmit)));

  const retry = clusterCommand(parent, 'retry')
    .description('let workflows that failed go on from what failed')
    .argument('[name...]', 'names of workflows, or @latest')
    .option('--restart-successful', 'run what --node-field-selector selects again, though it succeeded')
    .addOption(nodeSelectorOption('nodes to run again with --restart-successful, such as displayName=a'))
    .addOption(outputOption('json', 'yaml', 'name'))
    .addHelpText('after', EXIT_CODES)
    .action(async (names: string[], options: RetryOptions) => {
      done(await (await import('../../actions/workflow/again.ts')).retry(names, options));
    });
  followOptions(parameterOptions(selectorOptions(retry)));
}
