import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Arrivals } from '@turnsole/kube/testing/arrivals';

/** The command. */
export const MAIN = fileURLToPath(new URL('../../bin/turnsole.js', import.meta.url));

/** How a command ended. */
export interface CommandOutcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A stopped command reverts its chaos first. */
const END_LIMIT_MS = 60_000;

/** A running `turnsole` command: the real process that users start. It is ended with the scope (`await using`), however that ends. */
export class TurnsoleProcess implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandOutcome>;
  readonly #lines: string[] = [];
  readonly #arrivals = new Arrivals();
  #stderr = '';
  #over = false;

  /** @param prefix words in front of the command: a program that starts it as another user */
  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}, prefix: readonly string[] = []) {
    const [program = '', ...words] = [...prefix, process.execPath, MAIN, ...args];
    const child = spawn(program, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', ...env },
    });
    this.child = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#lines.push(line);
      this.#arrivals.came();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString();
    });
    this.ended = once(child, 'close').then(([code, signal]) => {
      this.#over = true;
      this.#arrivals.came();
      return { code, signal, stdout: this.#lines.join('\n'), stderr: this.#stderr } as CommandOutcome;
    });
  }

  /** Resolves with the first line of the output that matches; rejects when the command ends without one, or is too slow. */
  async line(pattern: RegExp): Promise<string> {
    const find = (): string | undefined => this.#lines.find((line) => pattern.test(line));
    const problem = (): string =>
      `no line of the ${this.#over ? 'ended' : 'running'} command matches ${pattern}:\n${this.#lines.join('\n')}\n${this.#stderr}`;
    await this.#arrivals.until(() => this.#over || find() !== undefined, problem);
    return find() ?? assert.fail(problem());
  }

  /** Stops the command as Ctrl-C or an init system does. @throws Error with its output when it does not end; it is killed then */
  async stop(signal: 'SIGINT' | 'SIGTERM'): Promise<CommandOutcome> {
    this.child.kill(signal);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.child.kill('SIGKILL');
    }, END_LIMIT_MS);
    const outcome = await this.ended;
    clearTimeout(timer);
    if (!isLate) return outcome;
    const printed = `${outcome.stdout}\n${outcome.stderr}`;
    throw new Error(`the command did not end within ${END_LIMIT_MS / 1000} s of ${signal}:\n${printed}`);
  }

  /** Has the command end as a user does who closes the terminal, so that it takes back what it made. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#over) await this.stop('SIGTERM');
  }
}

/** Runs a command to its end. */
export function turnsole(
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
  prefix?: readonly string[],
): Promise<CommandOutcome> {
  return new TurnsoleProcess(args, env, prefix).ended;
}

/** A folder that is removed when the scope ends (`await using`). */
export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'turnsole-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}
