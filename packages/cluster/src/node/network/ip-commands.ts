import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { Socket } from 'node:net';

/** Asked after the commands of a run: the answer says that they are done. */
const MARK = 'link show dev lo';
/** Part of the answer, which is nowhere else in it. */
const ANSWER = 'link/loopback';

/**
 * Runs commands of ip(8) through one process that stays: starting one for each takes longer than what it does. The
 * process ends with its input, and so with this one.
 */
export class IpCommands {
  #child: ChildProcessWithoutNullStreams | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #output = '';
  #errors = '';
  #answered: ((error?: Error) => void) | undefined;

  /** Runs these in order; resolves when they are done. @throws Error with what ip said of the first that failed */
  run(...commands: readonly string[]): Promise<void> {
    const done = this.#queue.then(() => this.#run(commands));
    this.#queue = done.catch(() => {});
    return done;
  }

  /** Ends the process, after what was asked of it. Idempotent. */
  async close(): Promise<void> {
    await this.#queue;
    this.#child?.stdin.end();
    this.#child = undefined;
  }

  async #run(commands: readonly string[]): Promise<void> {
    const child = this.#child ?? this.#start();
    this.#output = '';
    this.#errors = '';
    keepRunning(child, true);
    try {
      await new Promise<void>((resolve, reject) => {
        this.#answered = (error) => (error === undefined ? resolve() : reject(error));
        child.stdin.write([...commands, MARK, ''].join('\n'));
      });
      // The message of the failure was written before, but on another pipe.
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      this.#answered = undefined;
      keepRunning(child, false);
    }
    const said = this.#errors.trim().split('\n')[0] ?? '';
    if (said !== '') throw new Error(`ip ${commands.join('; ')}: ${said}`);
  }

  #start(): ChildProcessWithoutNullStreams {
    const child = spawn('ip', ['-force', '-batch', '-'], { stdio: 'pipe' });
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => {
      this.#output += chunk.toString();
      if (this.#output.includes(ANSWER)) this.#answered?.();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    child.stdin.on('error', () => {}); // its exit says why
    const lost = (why: string): void => {
      if (this.#child === child) this.#child = undefined;
      this.#answered?.(new Error(`ip: ${this.#errors.trim() || why}`));
    };
    child.once('error', (error) => lost(error.message));
    child.once('exit', () => lost('it has ended'));
    return child;
  }
}

/** Whether this process stays for the sake of the child. */
function keepRunning(child: ChildProcessWithoutNullStreams, keep: boolean): void {
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) {
    // Pipes of a child are sockets, though their type does not say so.
    if (handle !== child && !(handle instanceof Socket)) continue;
    if (keep) handle.ref();
    else handle.unref();
  }
}
