import type { Command } from 'commander';
import { ownFaultsOption } from './own-faults.ts';

/** Adds `--config`, `--no-config` and `--faults-from` to a command. */
export function addConfigOptions(command: Command): Command {
  return command
    .option(
      '--config <file>',
      'what the project says of itself: images, nodes, folders (default: turnsole.yaml of this folder, where there is one)',
    )
    .option('--no-config', 'do not read turnsole.yaml')
    .addOption(ownFaultsOption());
}

/** Whether an option stands on the command line, and is no default. */
export function isGivenTo(command: Command): (option: string) => boolean {
  return (option) => command.getOptionValueSource(option) === 'cli';
}
