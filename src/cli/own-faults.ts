import { messageOf } from '@turnsole/kube/text/error-message';
import { type Command, Option } from 'commander';
import { OWN_FAULTS_VARIABLE, ownFaultFiles } from '../chaos/own-faults.ts';
import { CommandError } from '../services/errors.ts';
import type { ProjectOptions } from './project.ts';

/** Options of a command that may have to know faults of the user's own. */
export interface OwnFaultOptions extends ProjectOptions {
  readonly faultsFrom?: readonly string[];
}

/** `--faults-from`; without it those of turnsole.yaml count. */
export function ownFaultsOption(): Option {
  return new Option(
    '--faults-from <folder|package>',
    'faults of your own: modules of a folder, or of an npm package (repeatable; default: what turnsole.yaml names)',
  ).argParser((text: string, before: readonly string[] = []) => [...before, text]);
}

/** Adds the option, and has the command know these faults before it begins. */
export function takeOwnFaults(command: Command): Command {
  return command
    .addOption(ownFaultsOption())
    .hook('preAction', () => knowOwnFaults(command.opts<OwnFaultOptions>()));
}

/** Tells this process, and those that it starts, the faults that a command is given. @throws CommandError naming all modules that are no faults · BadInputError */
export async function knowOwnFaults({ faultsFrom, ...options }: OwnFaultOptions): Promise<void> {
  const { openProject } = await import('./project.ts');
  const project = faultsFrom === undefined ? await openProject(options) : undefined;
  const named = faultsFrom ?? project?.settings.faults ?? [];
  if (named.length > 0) {
    const { findFaults } = await import('../services/project/find-faults.ts');
    process.env[OWN_FAULTS_VARIABLE] = await findFaults(named, project?.folder ?? process.cwd());
  }
  const known = ownFaultFiles(process.env);
  if (known.size === 0) return;
  const { addOwnFaults, faultRegistry } = await import('../faults/index.ts');
  addOwnFaults(process.env);
  // Here, since a cluster of which a fault cannot be loaded is of no use.
  const loaded = await Promise.allSettled([...known.keys()].map((name) => faultRegistry.get(name)?.()));
  const problems = loaded.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : []));
  if (problems.length > 0) throw new CommandError(problems.join('\n'), 'FAULT_REFUSED');
}
