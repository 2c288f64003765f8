import { readFile } from 'node:fs/promises';
import { parseStat } from '../helper/container-locator.ts';
import type { CommandOptions, CommandResult } from './command.ts';
import { runInside } from './enter.ts';
import { NodeError } from './node-error.ts';

/**
 * Runs a program of the host among the host's files, by way of its process 1, which takes a privileged pod with hostPID.
 *
 * @throws CapabilityError, MissingToolError before anything is done · CommandError as runCommand · NodeError without hostPID, or
 *   where process 1 may not be entered
 */
export async function runOnHost(
  command: readonly string[],
  options: Omit<CommandOptions, 'descriptors'> = {},
): Promise<CommandResult> {
  const stat = parseStat(await readFile('/proc/1/stat', 'utf8'));
  if (stat === undefined) throw new NodeError('cannot see process 1 of the host; the helper needs hostPID');
  return runInside({ pid: 1, startTicks: stat.startTicks }, { ...options, namespaces: ['mnt'] }, command);
}
