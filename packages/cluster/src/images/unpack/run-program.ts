import { spawn } from 'node:child_process';

interface RunOptions {
  readonly cwd?: string;
  /** @default nothing */
  readonly input?: string;
}

/** Runs a program to its end. Resolves with its exit code, -1 for a signal, and with what it printed; rejects when it cannot be started. */
export async function runProgram(
  [program = '', ...args]: readonly string[],
  { cwd, input = '' }: RunOptions = {},
): Promise<{ readonly code: number; readonly output: string; readonly errors: string }> {
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  // It may end without reading; its exit code says why.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve(status ?? -1));
  });
  return { code, output: Buffer.concat(output).toString(), errors: Buffer.concat(errors).toString() };
}
