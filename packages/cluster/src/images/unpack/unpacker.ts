/** Starts the process that unpacks, and gives it layers. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { ImageError } from '../errors.ts';
import type { UnpackedLayer, UnpackOrder, UnpackReport } from './protocol.ts';

/** Beside this file, as TypeScript or compiled; an entry of its own in a bundle. */
const PROGRAMS = ['unpacker-main.ts', 'unpacker-main.js', 'unpacker.js'].map((name) =>
  join(import.meta.dirname, name),
);
/** Young objects are pieces of archives, which are there for a moment: less room for them is no slower. */
const NODE_OPTIONS = ['--max-semi-space-size=1', '--disable-warning=ExperimentalWarning'];
/** Settings of glibc's allocator (mallopt(3)): its memory is one for all threads, and goes back to the system above 2 MiB that are free. */
const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: String(2 * 1024 * 1024) };

/** What the machine lacks, by error codes of the file system. */
const NO_SPACE = ['ENOSPC', 'EDQUOT'];

interface OrderOptions {
  /** The layer in messages. */
  readonly label: string;
  readonly signal?: AbortSignal | undefined;
  readonly onRead?: ((bytes: number) => void) | undefined;
}

/** A process for a few layers, one after the other. */
export class Unpacker implements AsyncDisposable {
  readonly #enter: readonly string[];
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  #exited: Promise<void> = Promise.resolve();
  #said = '';

  /** @param enter words in front of the command */
  constructor(enter: readonly string[] = []) {
    this.#enter = enter;
  }

  /**
   * Unpacks one layer. One at a time. What it has written when it rejects is to be thrown away.
   *
   * @throws ImageError that names the layer
   */
  async unpack(order: UnpackOrder, { label, signal, onRead }: OrderOptions): Promise<UnpackedLayer> {
    signal?.throwIfAborted();
    const child = (this.#child ??= this.#start());
    const abort = (): void => void child.kill('SIGKILL');
    signal?.addEventListener('abort', abort, { once: true });
    const lines = createInterface({ input: child.stdout });
    try {
      child.stdin.write(`${JSON.stringify(order)}\n`);
      for await (const line of lines) {
        const report = JSON.parse(line) as UnpackReport;
        if ('read' in report) onRead?.(report.read);
        else if ('done' in report) return report.done;
        else throw explained(report.failed, label);
      }
      signal?.throwIfAborted();
      await this.#exited;
      throw new ImageError(
        'store',
        `${label} could not be unpacked: the process that does it ended${this.#said && `: ${this.#said.trim()}`}`,
      );
    } finally {
      signal?.removeEventListener('abort', abort);
      lines.close();
    }
  }

  /** Ends the process. Idempotent. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#child?.stdin.end();
    this.#child?.kill('SIGKILL');
    await this.#exited;
  }

  #start(): ChildProcessByStdio<Writable, Readable, Readable> {
    const [program = '', ...args] = [...this.#enter, process.execPath, ...NODE_OPTIONS, programPath()];
    const env = { ...process.env, ...ALLOCATOR };
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    child.stderr.on('data', (chunk: Buffer) => {
      this.#said = (this.#said + chunk.toString()).slice(0, 2_000);
    });
    // Its end is heard by whoever waits for lines.
    child.stdin.on('error', () => {});
    this.#exited = new Promise((resolve) => {
      child.once('error', (error) => {
        this.#said = error.message;
        resolve();
      });
      child.once('close', () => resolve());
    });
    return child;
  }
}

function programPath(): string {
  const found = PROGRAMS.find((path) => existsSync(path));
  if (found === undefined) throw new ImageError('store', 'the program that unpacks layers is not installed');
  return found;
}

function explained(
  { code, errno = '', message }: Extract<UnpackReport, { failed: object }>['failed'],
  label: string,
): ImageError {
  if (code !== undefined) return new ImageError(code, `${label} is refused: ${message}`);
  if (NO_SPACE.includes(errno)) {
    return new ImageError('no-space', `${label} could not be unpacked: the disk is full (${message})`);
  }
  return new ImageError('store', `${label} could not be unpacked: ${message}`);
}
