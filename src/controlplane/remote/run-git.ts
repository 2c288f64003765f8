import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Environment } from '../../text/environment.ts';
import { RemoteError } from './remote-error.ts';

/** How git is run. */
interface GitRun {
  readonly env: Environment;
  /** Folder it works in. */
  readonly folder: string;
  /** Largest file that it may write, in bytes: a pack that is larger ends it. */
  readonly mostBytes: number;
  readonly signal: AbortSignal;
  /** What it reads. @default nothing */
  readonly input?: string | undefined;
}

/** Most of what git says that is kept. */
const MOST_SAID = 4_000;
/** Most of what git prints that is read. */
const MOST_PRINTED = 4 * 1024 * 1024;

/** The limit of a shell is in blocks of 512 bytes; of bash it is 1,024, unless it is asked to be POSIX. */
const LIMITED = 'ulimit -f "$1" || exit 125; shift; exec git "$@"';
const BLOCK = 512;

/**
 * Runs git to its end, and returns what it printed. When the signal aborts, git is killed with all that it started.
 *
 * @throws RemoteError with the end of what git said · the signal's reason
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
  // A program that ends early does not read it: its exit code says more than the broken pipe.
  child.stdin.on('error', () => undefined).end(input);
  const kill = (): void => {
    // The group: git leaves the talking to programs of its own.
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid);
  };
  signal.addEventListener('abort', kill, { once: true });
  const out = { text: '', most: MOST_PRINTED };
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out.text += text;
    if (out.text.length > out.most) kill();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MOST_SAID);
  });
  try {
    const [code, killedBy] = (await once(child, 'close')) as [number | null, string | null];
    signal.throwIfAborted();
    if (code !== 0) throw new RemoteError(problemOf(args[0] ?? '', code, killedBy, said, mostBytes));
    return out.text;
  } finally {
    signal.removeEventListener('abort', kill);
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
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
  if (code === 127) return 'git is not installed on the server';
  // Hints are for people who type commands.
  const lines = said
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('hint:'));
  const words = lines.slice(-6).join('; ');
  return `git ${command} failed${words === '' ? ` with ${code ?? killedBy}` : `: ${words}`}`;
}
