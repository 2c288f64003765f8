import type { Command } from 'commander';
import type { LintOptions } from '../../actions/workflow/lint.ts';
import type { Done } from '../../common-options.ts';
import { clusterCommand, outputOption } from './options.ts';

/** `lint`. */
export function addLint(parent: Command, done: Done): void {
  addLintCommand(
    parent,
    done,
    'check manifests of workflows, templates and CronWorkflows: every problem with its place',
  );
}

/** `lint` of one kind, or of all. */
export function addLintCommand(parent: Command, done: Done, description: string, kind?: string): void {
  clusterCommand(parent, 'lint')
    .description(description)
    .argument('<file|dir...>', 'manifests (YAML or JSON), files or folders')
    .option(
      '--offline',
      'templates of the files alone; otherwise the cluster is asked for those that are not in them',
    )
    .option('--no-strict', 'unknown fields are no problem')
    .addOption(outputOption('text', 'json').default('text'))
    .addHelpText('after', '\nExit codes: 0 nothing is wrong, 2 something is, 3 the cluster cannot be asked.')
    .action(async (files: string[], options: LintOptions) => {
      done(
        await (await import('../../actions/workflow/lint.ts')).run(files, {
          ...options,
          ...(kind !== undefined && { kind }),
        }),
      );
    });
}
