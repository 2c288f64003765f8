import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CommandError } from '../errors.ts';
import type { Project } from './read-project.ts';

/** How the commands of a build are run. */
interface BuildOptions {
  readonly signal: AbortSignal;
  /** Called before each. */
  readonly onCommand: (command: string) => void;
}

/**
 * Runs the commands by which a project builds what its images stand for. What they print goes to standard error.
 *
 * @throws CommandError when one fails · the signal's reason
 */
export async function buildImages({ settings, folder, file }: Project, options: BuildOptions): Promise<void> {
  for (const command of settings.build ?? []) {
    options.signal.throwIfAborted();
    options.onCommand(command);
    const child = spawn('sh', ['-c', command], {
      cwd: folder,
      stdio: ['ignore', process.stderr, process.stderr],
      signal: options.signal,
    });
    const [code, signal] = await once(child, 'close').catch((error: Error) => {
      options.signal.throwIfAborted();
      throw new CommandError(`${file}: build: ${command}: ${error.message}`, 'BUILD_FAILED', {
        cause: error,
      });
    });
    if (code === 0) continue;
    const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
    throw new CommandError(`${file}: build: ${command} ${how}; what it printed stands above`, 'BUILD_FAILED');
  }
}
