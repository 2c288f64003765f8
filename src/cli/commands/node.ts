import type { Command } from 'commander';
import type { NodeOptions } from '../actions/node.ts';
import { contextOption, type Done, kubeconfigOption } from '../common-options.ts';

/** `turnsole node stop` and `start`. */
export function addNode(program: Command, done: Done): void {
  const node = program.command('node').description('stop or start a node of an embedded cluster');
  node
    .command('stop')
    .description('stop its agent: the node becomes NotReady, its pods go on running')
    .argument('<node>', 'name of the node')
    .option('--power-off', 'as if the machine had lost its power: its pods end, too')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .action(async (name: string, options: NodeOptions) => {
      done(await (await import('../actions/node.ts')).run('stop', name, options));
    });
  node
    .command('start')
    .description('start it again')
    .argument('<node>', 'name of the node')
    .addOption(kubeconfigOption())
    .addOption(contextOption())
    .action(async (name: string, options: NodeOptions) => {
      done(await (await import('../actions/node.ts')).run('start', name, options));
    });
}
