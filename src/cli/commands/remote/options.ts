import { type Command, Option } from 'commander';

/** Adds the options that say which server and project a command works with. */
export function remoteOptions(command: Command): Command {
  return command
    .option(
      '--server <url>',
      'control plane (default: TURNSOLE_SERVER, the last sign-in, or the one on this machine)',
    )
    .option('--project <name>', 'name or ID of the project (default: TURNSOLE_PROJECT, or your own)');
}

/** Those, and how the answer is printed. */
export function shownOptions(command: Command): Command {
  return remoteOptions(command).addOption(
    new Option('-o, --output <format>', 'how it is printed')
      .choices(['table', 'json', 'yaml'])
      .default('table'),
  );
}
