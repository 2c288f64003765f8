import type { Command } from 'commander';
import type { Done } from '../common-options.ts';
import { takeOwnFaults } from '../own-faults.ts';

/** `turnsole explain`. */
export function addExplain(program: Command, done: Done): void {
  takeOwnFaults(program.command('explain'))
    .description('explain a kind, a field, a type of probe or a fault, with an example; without a cluster')
    .argument('[name]', 'httpProbe, runProperties, ChaosEngine.spec.execution, pod-delete …')
    .action(async (name: string | undefined) => {
      done(await (await import('../actions/explain.ts')).run(name));
    });
}
