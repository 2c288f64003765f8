import type { Project } from './read-project.ts';
import { runBuildCommand } from './run-build-command.ts';

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
export async function buildImages(
  { settings, folder, file }: Project,
  { signal, onCommand }: BuildOptions,
): Promise<void> {
  for (const command of settings.build ?? []) {
    signal.throwIfAborted();
    onCommand(command);
    const words = ['sh', '-c', command];
    await runBuildCommand({ words, label: `${file}: build: ${command}`, folder, signal });
  }
}
