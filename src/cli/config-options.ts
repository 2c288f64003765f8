import type { Command } from 'commander';
import { ownFaultsOption, takeOwnFaults } from './own-faults.ts';

/** Adds `--config`, `--no-config` and `--faults-from` to a command, which knows the faults before it begins. */
export function addConfigOptions(command: Command): Command {
  return takeOwnFaults(fileOptions(command));
}

/** The same for a command that reports also what it cannot begin with, and therefore looks for the faults itself. */
export function addReportedConfigOptions(command: Command): Command {
  return fileOptions(command).addOption(ownFaultsOption());
}

function fileOptions(command: Command): Command {
  return command
    .option(
      '--config <file>',
      'what the project says of itself: images, nodes, folders (default: turnsole.yaml of this folder, where there is one)',
    )
    .option('--no-config', 'do not read turnsole.yaml');
}

/** Whether an option stands on the command line, and is no default. */
export function isGivenTo(command: Command): (option: string) => boolean {
  return (option) => command.getOptionValueSource(option) === 'cli';
}
