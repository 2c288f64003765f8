import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** How a program is run. */
interface ProgramOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** What it reads. @default nothing */
  readonly stdin?: Readable;
  readonly signal: AbortSignal;
}

const MOST_SAID = 2000;

/**
 * Runs a program of the image to its end.
 *
 * @returns what it printed
 * @throws Error with the end of what it said, or that the image lacks it · the signal's reason
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { env, stdin, signal }: ProgramOptions,
): Promise<string> {
  signal.throwIfAborted();
  const child = spawn(program, args, { env, signal, stdio: ['pipe', 'pipe', 'pipe'] });
  const out: Buffer[] = [];
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MOST_SAID);
  });
  const fed = stdin === undefined ? Promise.resolve(child.stdin.end()) : pipeline(stdin, child.stdin);
  const feeding = fed.then(
    () => undefined,
    (error: unknown) => error,
  );
  try {
    const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null];
    const problem = await feeding;
    if (problem !== undefined && !isCutOff(problem)) throw problem;
    if (code !== 0)
      throw new Error(
        `${program} ${args[0] ?? ''} ended with ${code ?? killedBy}${said === '' ? '' : `: ${said.trim()}`}`,
      );
    return Buffer.concat(out).toString('utf8');
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      throw new Error(`the image has no program ${program}, which this takes`, { cause: error });
    throw error;
  }
}

/** A program that has ended reads no more. */
function isCutOff(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'EPIPE' || error.code === 'ERR_STREAM_PREMATURE_CLOSE')
  );
}
