import type { Command } from 'commander';
import type { LibraryListOptions, LibraryOptions } from '../../actions/workflow/library.ts';
import type { Done } from '../../common-options.ts';
import { addLintCommand } from './lint.ts';
import { clusterCommand, outputOption } from './options.ts';

/** `template …` and `cluster-template …`. */
export function addTemplates(parent: Command, done: Done): void {
  addLibrary(parent, done, 'template', 'WorkflowTemplate');
  addLibrary(parent, done, 'cluster-template', 'ClusterWorkflowTemplate');
}

function addLibrary(
  parent: Command,
  done: Done,
  word: string,
  kind: 'WorkflowTemplate' | 'ClusterWorkflowTemplate',
): void {
  const library = parent.command(word).description(`${kind}s: create, list, get, lint, delete`);
  addObjectCommands(library, done, kind);
}

/** Commands that templates and CronWorkflows share. */
export function addObjectCommands(
  parent: Command,
  done: Done,
  kind: 'WorkflowTemplate' | 'ClusterWorkflowTemplate' | 'CronWorkflow',
): void {
  const load = () => import('../../actions/workflow/library.ts');
  clusterCommand(parent, 'create')
    .description(`create ${kind}s of files, when nothing is wrong with them`)
    .argument('<file...>', 'manifests (YAML or JSON), files or folders')
    .addOption(outputOption('name', 'json', 'yaml'))
    .action(async (files: string[], options: LibraryOptions) => {
      done(await (await load()).create(kind, files, options));
    });
  clusterCommand(parent, 'update')
    .description(`apply ${kind}s of files over those of the cluster, when nothing is wrong with them`)
    .argument('<file...>', 'manifests (YAML or JSON), files or folders')
    .addOption(outputOption('name', 'json', 'yaml'))
    .action(async (files: string[], options: LibraryOptions) => {
      done(await (await load()).update(kind, files, options));
    });
  const list = clusterCommand(parent, 'list')
    .description(`list ${kind}s`)
    .option('-l, --selector <selector>', 'only those with these labels')
    .addOption(outputOption('name', 'json', 'yaml', 'wide'))
    .action(async (options: LibraryListOptions) => {
      done(await (await load()).list(kind, options));
    });
  if (kind !== 'ClusterWorkflowTemplate') list.option('-A, --all-namespaces', 'of all namespaces');
  clusterCommand(parent, 'get')
    .description(`show ${kind}s`)
    .argument('<name...>', `names of ${kind}s`)
    .addOption(outputOption('name', 'json', 'yaml'))
    .action(async (names: string[], options: LibraryOptions) => {
      done(await (await load()).get(kind, names, options));
    });
  addLintCommand(parent, done, `check manifests of ${kind}s: every problem with its place`, kind);
  clusterCommand(parent, 'delete')
    .description(`delete ${kind}s`)
    .argument('[name...]', `names of ${kind}s`)
    .option('--all', 'all of them')
    .action(async (names: string[], options: LibraryOptions) => {
      done(await (await load()).remove(kind, names, options));
    });
}
