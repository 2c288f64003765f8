import { type Command, Option } from 'commander';
import type { UpOptions } from '../actions/up.ts';
import { type Done, imageOption, isolationOption } from '../common-options.ts';
import { addConfigOptions, isGivenTo } from '../config-options.ts';
import { parseNodesOption, parsePortOption } from '../options.ts';
import { addRuntimeOptions } from '../up/runtime-options.ts';

/** `turnsole up`. */
export function addUp(program: Command, done: Done): void {
  addConfigOptions(addRuntimeOptions(program.command('up')))
    .description('start an embedded cluster that stays, for kubectl and any other Kubernetes client')
    .option('--name <name>', 'name of the cluster, to have several', 'default')
    .option('--detach', 'return as soon as the cluster is ready')
    .option('--kubeconfig <file>', 'where to write the kubeconfig')
    .option(
      '--data <dir>',
      'keep the cluster in this folder: objects, certificates, tokens, claims survive a stop, a crash and kill -9',
    )
    .option(
      '--port <port>',
      'loopback port of the API server (0 = with --data the one of the last time, else any free one)',
      parsePortOption,
      0,
    )
    .addOption(imageOption())
    .addOption(
      new Option(
        '--nodes <n>',
        'number of nodes (default: 1; with --data as many as the last time)',
      ).argParser(parseNodesOption),
    )
    .addOption(isolationOption())
    .option(
      '--no-operator',
      'start none: for an operator of your own; the built-in one only gives way to an operator that holds the Lease chaos-operator.lock',
    )
    .option(
      '--no-workflows',
      'run none: for a workflow controller outside of the cluster without leader election; to any other, the built-in one gives way',
    )
    .option('-v, --verbose', "print the components' logs as well")
    .action(async (options: UpOptions, command: Command) => {
      done(await (await import('../actions/up.ts')).run(options, isGivenTo(command)));
    });
}
