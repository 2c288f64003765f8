import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { MAIN } from './turnsole.ts';

const start = promisify(execFile);

/** Runs a command in a folder, as somebody does who works there; its text is what it printed on both outputs. */
export async function turnsoleIn(
  folder: string,
  args: readonly string[],
): Promise<{ readonly code: number; readonly text: string }> {
  const options = { cwd: folder, env: { ...process.env, NO_COLOR: '1' } };
  try {
    const { stdout, stderr } = await start(process.execPath, [MAIN, ...args], options);
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}
