import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CommandError } from '../errors.ts';

/** How a command of a build is run. */
interface BuildCommand {
  /** Program and arguments. */
  readonly words: readonly string[];
  /** What asked for it, and the command, for messages. */
  readonly label: string;
  /** @default the present folder */
  readonly folder?: string;
  readonly signal: AbortSignal;
}

/**
 * Runs a command of a build to its end. What it prints goes to standard error.
 *
 * @throws CommandError BUILD_FAILED · the signal's reason
 */
export async function runBuildCommand({ words, label, folder, signal }: BuildCommand): Promise<void> {
  const [program = '', ...args] = words;
  const child = spawn(program, args, {
    ...(folder !== undefined && { cwd: folder }),
    stdio: ['ignore', process.stderr, process.stderr],
    signal,
  });
  const [code, killedBy] = await once(child, 'close').catch((error: Error) => {
    signal.throwIfAborted();
    throw new CommandError(`${label}: ${error.message}`, 'BUILD_FAILED', { cause: error });
  });
  if (code === 0) return;
  const how = code === null ? `was ended by ${killedBy}` : `ended with exit code ${code}`;
  throw new CommandError(`${label} ${how}; what it printed stands above`, 'BUILD_FAILED');
}
