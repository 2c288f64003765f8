import type { Command } from 'commander';

/** Adds the options that say which server and project a command works with. */
export function remoteOptions(command: Command): Command {
  return command
    .option(
      '--server <url>',
      'control plane (default: TURNSOLE_SERVER, the last sign-in, or the one on this machine)',
    )
    .option('--project <name>', 'name or ID of the project (default: TURNSOLE_PROJECT, or your own)');
}
