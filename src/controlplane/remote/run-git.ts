import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Environment } from '@turnsole/kube/text/environment';
import { killGroup } from '../../process/kill-group.ts';
import { RemoteError } from './remote-error.ts';

/** Options of a run of git. */
interface GitRun {
  readonly env: Environment;
  /** Working directory. */
  readonly folder: string;
  /** Largest file that it may write, in bytes: a larger pack ends it. */
  readonly mostBytes: number;
  readonly signal: AbortSignal;
  /** Standard input. @default none */
  readonly input?: string | undefined;
}

/** Kept characters of git's standard error. */
const MOST_SAID = 4_000;
/** Limit of git's standard output. */
const MOST_PRINTED = 4 * 1024 * 1024;

/** Address space of git and of each of its children, in KiB: strangers make the objects that it reads. Its programs and libraries take a tenth. */
const MOST_MEMORY_KB = 1024 * 1024;
/** `ulimit -f` of a shell counts blocks of 512 bytes; that of bash 1,024, unless in POSIX mode. */
const LIMITED = `ulimit -f "$1" && ulimit -v ${MOST_MEMORY_KB} || exit 125; shift; exec git "$@"`;
const BLOCK = 512;

/**
 * Runs git to its end, and returns its output. When the signal aborts, kills git and all its children.
 *
 * @throws RemoteError with the end of git's standard error · the signal's reason
 */
export async function runGit(
  args: readonly string[],
  { env, folder, mostBytes, signal, input = '' }: GitRun,
): Promise<string> {
  signal.throwIfAborted();
  const blocks = String(Math.ceil(mostBytes / BLOCK));
  const child = spawn('sh', ['-c', LIMITED, 'sh', blocks, ...args], {
    cwd: folder,
    env: { ...env, POSIXLY_CORRECT: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  // A program that ends early does not read it; its exit code is more useful than the broken pipe.
  child.stdin.on('error', () => undefined).end(input);
  const kill = (): void => {
    // The process group: git uses child processes for the network.
    if (child.exitCode === null && child.signalCode === null) killGroup(child, 'SIGKILL');
  };
  signal.addEventListener('abort', kill, { once: true });
  let printed = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    if (printed.length > MOST_PRINTED) kill();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MOST_SAID);
  });
  try {
    const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null];
    signal.throwIfAborted();
    if (printed.length > MOST_PRINTED) throw new RemoteError(tooMuch(args[0] ?? ''));
    if (code !== 0) throw new RemoteError(problemOf(args[0] ?? '', code, killedBy, said, mostBytes));
    return printed;
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

function tooMuch(command: string): string {
  const limit = `git ${command} printed more than ${MOST_PRINTED} characters`;
  return `${limit}: a file of the repository is too large, or a folder has too many`;
}

function problemOf(
  command: string,
  code: number | null,
  killedBy: string | null,
  said: string,
  mostBytes: number,
): string {
  if (killedBy === 'SIGXFSZ' || /file too large|SIGXFSZ|signal 25/i.test(said)) {
    return `the repository is larger than ${mostBytes} bytes`;
  }
  if (/out of memory|mmap failed|cannot allocate memory/i.test(said)) {
    return `git ${command} needs more than ${MOST_MEMORY_KB / 1024} MiB of memory for the repository: it has too many files or too large ones`;
  }
  if (code === 127) return 'git is not installed on the server';
  // Drops hints, which are for interactive use.
  const lines = said
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('hint:'));
  const words = lines.slice(-6).join('; ');
  return `git ${command} failed${words === '' ? ` with ${code ?? killedBy}` : `: ${words}`}`;
}
