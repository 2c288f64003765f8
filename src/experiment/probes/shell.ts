import { type ChildProcess, spawn } from 'node:child_process';
import type { Environment } from '@turnsole/kube/text/environment';
import { killGroup } from '../../process/kill-group.ts';

/** How a command ended. */
export interface ShellResult {
  /** Exit status; undefined when a signal ended it. */
  readonly exitCode: number | undefined;
  /** Name of the signal that ended it. */
  readonly killedBy: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command wrote more than can be kept. */
export class OutputLimitError extends Error {
  override readonly name = 'OutputLimitError';
}

/** The shell is missing, or no process can be started. */
class ShellStartError extends Error {
  override readonly name = 'ShellStartError';
}

/** What a command runs with. */
interface ShellOptions {
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** @default /bin/sh */
  readonly shell?: string;
  /** Hears of the process that was started. */
  readonly onProcess?: ((pid: number | undefined) => void) | undefined;
}

/** Most bytes of one stream: a comparison of more makes no sense, and the process must not run out of memory. */
const OUTPUT_LIMIT_BYTES = 1024 * 1024;

/** Commands under way in this process, to be killed when it exits: the one listener for all of them. */
const underWay = new Set<ChildProcess>();

function killAll(): void {
  for (const child of underWay) killGroup(child, 'SIGKILL');
}

/**
 * Runs `command` with /bin/sh in a process group of its own and waits until it and every process that holds its output is done.
 *
 * When `signal` is aborted the whole group is killed (SIGKILL) and this rejects at once with the signal's reason. The group
 * is killed too when this process exits meanwhile.
 *
 * @throws OutputLimitError when it writes more than 1 MiB; ShellStartError when it cannot be started
 */
export async function runShell(
  command: string,
  { env, signal, shell = '/bin/sh', onProcess }: ShellOptions,
): Promise<ShellResult> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<ShellResult>();
  const child = spawn(shell, ['-c', command], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env },
  });
  onProcess?.(child.pid);
  const onAbort = (): void => reject(signal.reason);
  const onOverflow = (): void =>
    reject(new OutputLimitError(`the command wrote more than ${OUTPUT_LIMIT_BYTES} bytes`));
  const stdout = collect(child.stdout, onOverflow);
  const stderr = collect(child.stderr, onOverflow);
  child.on('error', (cause) =>
    reject(
      new ShellStartError(`cannot start ${shell}, which every command of a probe needs: ${cause.message}`, {
        cause,
      }),
    ),
  );
  child.on('close', (exitCode, killedBy) => {
    resolve({
      exitCode: exitCode ?? undefined,
      killedBy: killedBy ?? undefined,
      stdout: stdout(),
      stderr: stderr(),
    });
  });
  signal.addEventListener('abort', onAbort, { once: true });
  if (underWay.size === 0) process.once('exit', killAll);
  underWay.add(child);
  try {
    return await promise;
  } catch (error) {
    killGroup(child, 'SIGKILL');
    // A descendant that left the group may still hold the pipes; it must not hold us.
    child.stdout.destroy();
    child.stderr.destroy();
    throw error;
  } finally {
    underWay.delete(child);
    if (underWay.size === 0) process.removeListener('exit', killAll);
    signal.removeEventListener('abort', onAbort);
  }
}

function collect(stream: NodeJS.ReadableStream, onOverflow: () => void): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > OUTPUT_LIMIT_BYTES) onOverflow();
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
