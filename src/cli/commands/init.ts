import type { Command } from 'commander';
import type { InitOptions } from '../actions/init.ts';
import {
  contextOption,
  type Done,
  imageOption,
  kubeconfigOption,
  namespaceOption,
} from '../common-options.ts';

/** `turnsole init`. */
export function addInit(program: Command, done: Done): void {
  program
    .command('init')
    .description(
      'write turnsole.yaml and first experiments for an application, from its manifests or its namespace',
    )
    .argument(
      '[file|dir...]',
      'manifests of the application; default: the folders in which projects keep them',
    )
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .addOption(namespaceOption())
    .addOption(imageOption())
    .option('--fault <name>', 'the fault of the first experiments', 'pod-delete')
    .option('--folder <name>', 'where the experiments are written', 'chaos')
    .option(
      '-y, --yes',
      'take what is proposed, without questions; without a terminal nothing is asked anyway',
    )
    .option('--force', 'write over files that exist')
    .addHelpText(
      'after',
      `
Checks are proposed from Services and readiness probes, commands of images from Dockerfiles, package.json and the usual
main files. Everything that was decided is printed, and stands in files that are yours to change.

Examples:
  turnsole init && turnsole run
  turnsole init k8s/ --image my/api="node server.js"
  turnsole init --kubeconfig ~/.kube/config --namespace shop`,
    )
    .action(async (paths: string[], options: InitOptions) => {
      done(await (await import('../actions/init.ts')).run(paths, options));
    });
}
