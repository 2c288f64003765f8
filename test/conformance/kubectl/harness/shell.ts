import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/** How a line ended, and what it printed. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ShellOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs: number;
}

/**
 * Has the shell run a line, with nothing to read.
 *
 * @throws Error when it has not ended after the limit; it and what it started are killed then
 */
export async function runLine(line: string, { folder, env, limitMs }: ShellOptions): Promise<Outcome> {
  // A process group of its own, so that kubectl dies with its shell.
  const child = spawn('sh', ['-c', line], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, limitMs);
  try {
    const closed = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    if (isLate) {
      throw new Error(
        `\`${line}\` has not ended after ${limitMs} ms; it printed so far:\n${stdout}${stderr}`,
      );
    }
    return { code: code ?? -1, stdout, stderr };
  } finally {
    clearTimeout(timer);
  }
}
