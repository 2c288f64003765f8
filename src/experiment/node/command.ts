import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { messageOf } from '@turnsole/kube/text/error-message';
import { killGroup } from '../../process/kill-group.ts';
import { describeSpent, PacedLimit } from '../../process/pace/paced-limit.ts';
import { RunDelay } from '../../process/pace/run-delay.ts';
import { NodeCommandError } from './node-error.ts';

/** How a command is run. */
export interface CommandOptions {
  /** Given to its standard input. @default nothing */
  readonly input?: string;
  /** Longest time in which it, or what it has started, has a processor; on a busy machine that is not all of the time. @default 30 s */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly env?: NodeJS.ProcessEnv;
  /** Descriptors it gets as 3, 4, … */
  readonly descriptors?: readonly number[];
  /** Exit codes that are no error. @default [0] */
  readonly accept?: readonly number[];
}

/** What a command said. */
export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const TIMEOUT_MS = 30_000;
/** Enough for every listing of rules; a program that says more is only cut off. */
const OUTPUT_LIMIT = 8 * 1024 * 1024;

/**
 * Runs a command to its end, without a shell. It has a process group of its own, which is killed when the time is over or the
 * signal aborts.
 *
 * @throws NodeCommandError when it cannot be started, takes too long, or ends with a code that is not accepted; with its last words
 */
export async function runCommand(
  command: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { input = '', timeoutMs = TIMEOUT_MS, signal, accept = [0] } = options;
  signal?.throwIfAborted();
  const child = startCommand(command, ['pipe', 'pipe', 'pipe', ...(options.descriptors ?? [])], options.env);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  child.stdin?.on('error', () => {}); // it may end without reading; its exit code counts
  child.stdin?.end(input);
  const kill = (): void => killGroup(child, 'SIGKILL');
  const delay = new RunDelay(child.pid);
  const pace = { limitMs: timeoutMs, waitedMs: () => delay.totalMs() };
  using limit = new PacedLimit(pace, (spent) => new Error(`did not end within ${describeSpent(spent)}`));
  limit.signal.addEventListener('abort', kill, { once: true });
  signal?.addEventListener('abort', kill, { once: true });
  try {
    const [exitCode, endedBy] = await closed(child, command);
    signal?.throwIfAborted();
    const said = { stdout: stdout(), stderr: stderr() };
    if (exitCode !== null && accept.includes(exitCode)) return { exitCode, ...said };
    const how = limit.signal.aborted
      ? messageOf(limit.signal.reason)
      : exitCode === null
        ? `was ended by ${endedBy}`
        : `ended with exit code ${exitCode}`;
    const words = said.stderr.trim() || said.stdout.trim();
    throw new NodeCommandError(`${command.join(' ')} ${how}${words === '' ? '' : `: ${lastWords(words)}`}`);
  } finally {
    signal?.removeEventListener('abort', kill);
  }
}

/** Starts a command in a process group of its own, without a shell. */
export function startCommand(
  command: readonly string[],
  stdio: StdioOptions,
  env: NodeJS.ProcessEnv = process.env,
): ChildProcess {
  const [file = '', ...args] = command;
  return spawn(file, args, { detached: true, stdio, env });
}

function closed(
  child: ChildProcess,
  command: readonly string[],
): Promise<[number | null, NodeJS.Signals | null]> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => {
      reject(new NodeCommandError(`cannot start ${command.join(' ')}`, { cause }));
    });
    child.once('close', (code, signal) => resolve([code, signal]));
  });
}

function collect(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (length < OUTPUT_LIMIT) chunks.push(chunk);
    length += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function lastWords(text: string): string {
  return text.split('\n').slice(-3).join(' / ').slice(-500);
}
