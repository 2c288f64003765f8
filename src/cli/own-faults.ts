import { type Command, Option } from 'commander';
import { OWN_FAULTS_VARIABLE } from '../chaos/own-faults.ts';
import type { ProjectOptions } from './project.ts';

/** Options of a command that may have to know faults of the user's own. */
interface OwnFaultOptions extends ProjectOptions {
  readonly faultsFrom?: readonly string[];
}

const FLAGS = '--faults-from <folder|package>';

/** `--faults-from`; without it those of turnsole.yaml count. */
export function ownFaultsOption(): Option {
  return new Option(
    FLAGS,
    'faults of your own: modules of a folder, or of an npm package (repeatable; default: what turnsole.yaml names)',
  ).argParser((text: string, before: readonly string[] = []) => [...before, text]);
}

/** Tells this process, and those that it starts, the faults that a command is given. @throws CommandError, BadInputError */
export async function knowOwnFaults(command: Command): Promise<void> {
  if (!command.options.some(({ flags }) => flags === FLAGS)) return;
  const { faultsFrom, ...options } = command.opts<OwnFaultOptions>();
  const { openProject } = await import('./project.ts');
  const project = faultsFrom === undefined ? await openProject(options) : undefined;
  const named = faultsFrom ?? project?.settings.faults ?? [];
  if (named.length === 0) return;
  const { findFaults } = await import('../services/project/find-faults.ts');
  process.env[OWN_FAULTS_VARIABLE] = await findFaults(named, project?.folder ?? process.cwd());
  const { addOwnFaults } = await import('../faults/index.ts');
  addOwnFaults(process.env);
}
