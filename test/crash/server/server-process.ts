import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PACKAGE_ROOT } from '../../../src/process/package-root.ts';

const PROGRAM = join(PACKAGE_ROOT, 'bin', 'turnsole.js');
const START_MS = 60_000;
const PASSWORD = 'Chaos-monkey-1!';

/** How a server of a test is started. */
export interface ServerLife {
  /** Folder of its data, its key, and what it remembers of itself. */
  readonly folder: string;
  /** @default a file in the folder */
  readonly databaseUrl?: string;
  /** @default any free one */
  readonly port?: number;
  /** @default the command of this checkout, from its sources */
  readonly program?: string;
  /** Options of Node. */
  readonly nodeOptions?: readonly string[];
}

/** Of `/proc/PID/stat`: what Linux counts processor time in, whatever its own clock. */
const TICKS_A_SECOND = 100;

/** `turnsole server` as a process of its own. */
export class ServerProcess {
  readonly url: string;
  /** From the start of the process to the word that it is ready, in milliseconds. */
  readonly readyMs: number;
  readonly #child: ChildProcess;
  readonly #gone: Promise<void>;

  private constructor(child: ChildProcess, gone: Promise<void>, url: string, readyMs: number) {
    this.#child = child;
    this.#gone = gone;
    this.url = url;
    this.readyMs = readyMs;
  }

  static async start(life: ServerLife): Promise<ServerProcess> {
    const { folder, databaseUrl, port = 0, program = PROGRAM, nodeOptions = [] } = life;
    const startedAt = performance.now();
    const database = databaseUrl === undefined ? [] : ['--database', databaseUrl];
    const args = [...nodeOptions, program, 'server', '--data', folder, '--listen', String(port), ...database];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Replicas have one key for secrets.
      env: {
        ...process.env,
        XDG_STATE_HOME: folder,
        TURNSOLE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      },
    });
    const end = (): boolean => child.kill('SIGKILL');
    process.once('exit', end);
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve())).finally(() =>
      process.off('exit', end),
    );
    const url = await readyLine(child, gone);
    return new ServerProcess(child, gone, url, performance.now() - startedAt);
  }

  /** Memory of the process in MiB. */
  get residentMiB(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
  }

  /** Processor time that the process has had. */
  get processorSeconds(): number {
    // The name of the program, in parentheses, may have spaces.
    const fields = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
  }

  /** SIGKILL: nothing is tidied up. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#gone;
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#gone;
  }
}

/** The address that it prints when it is ready. @throws Error with what it has printed when it ends before */
async function readyLine(child: ChildProcess, gone: Promise<void>): Promise<string> {
  const said: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const read = (line: string): void => {
    said.push(line);
    const address = /^ {2}address\s+(\S+)/.exec(line)?.[1];
    if (address !== undefined) resolve(address);
  };
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on('line', read);
  }
  const late = setTimeout(() => reject(new Error(`not ready after ${START_MS} ms`)), START_MS);
  void gone.then(() => reject(new Error('it ended')));
  try {
    return await promise;
  } catch (error) {
    throw new Error(`the server did not start; it said:\n${said.join('\n')}`, { cause: error });
  } finally {
    clearTimeout(late);
  }
}

/** Settles the first user before a first start, so that tests know its password. */
export const FIRST_USER = { username: 'admin', password: PASSWORD } as const;
