import { type Command, Option } from 'commander';
import type { ConnectOptions } from '../actions/connect.ts';
import { contextOption, type Done, durationOption, kubeconfigOption } from '../common-options.ts';

/** `turnsole connect`. */
export function addConnect(program: Command, done: Done): void {
  program
    .command('connect')
    .description(
      'connect a cluster to a control plane: registers it, makes the agent there and waits until that is connected',
    )
    .option(
      '--local [cluster]',
      'an embedded cluster of "turnsole up" by its name (default: "default", started when it does not run)',
    )
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .option(
      '--server <url>',
      'control plane (default: that of "turnsole remote login", or the one on this machine)',
    )
    .option('--project <name>', 'name or ID of the project (default: your own)')
    .option('--environment <id>', 'environment, made when it is missing', 'default')
    .option(
      '--name <name>',
      'name of the infrastructure (default: the context; with --local: local, or the name of that cluster)',
    )
    .option('-n, --namespace <name>', 'namespace of the agent', 'litmus')
    .addOption(
      new Option('--scope <scope>', 'how far the agent reaches')
        .choices(['cluster', 'namespace'])
        .default('cluster'),
    )
    .option('--skip-tls-verify', "the agent takes any certificate of the server's")
    .addOption(durationOption('--timeout <duration>', 'limit for the agent to be connected', '3m'))
    .action(async (options: ConnectOptions) => {
      done(await (await import('../actions/connect.ts')).run(options));
    });
}
