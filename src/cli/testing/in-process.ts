import { CommandError } from '../../services/errors.ts';
import { errorLines } from '../print/error.ts';
import { buildProgram } from '../program.ts';

/** The output of a command, and its exit code. */
export interface InProcessOutcome {
  readonly code: number;
  readonly stdout: string;
  /** Lines of the error, without the program's name in front. */
  readonly stderr: string;
}

/**
 * Runs a command line in this process, one at a time: the start of a process costs more than most commands. For test files with a process
 * of their own, since variables and output are the process's.
 *
 * @param env all variables that the command sees
 * @throws what the command throws besides errors for people
 */
export async function inProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<InProcessOutcome> {
  const [variables, print] = [process.env, console.log];
  const lines: string[] = [];
  let code = -1;
  process.env = { ...env };
  console.log = (line: string) => void lines.push(line);
  try {
    await buildProgram((outcome) => {
      code = outcome;
    }).parseAsync([...args], { from: 'user' });
    return { code, stdout: lines.join('\n'), stderr: '' };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const stderr = errorLines(error, (_style, text) => text).join('\n');
    return { code: error.exitCode, stdout: lines.join('\n'), stderr };
  } finally {
    [process.env, console.log] = [variables, print];
  }
}
