import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The command. */
export const MAIN = fileURLToPath(new URL('../../bin/turnsole.js', import.meta.url));

/** How a command ended. */
export interface CommandOutcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running `turnsole` command: the real process that users start. */
export class TurnsoleProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandOutcome>;
  readonly #lines: string[] = [];
  readonly #waiters = new Set<() => void>();
  #stderr = '';
  #over = false;

  /** @param prefix words in front of the command: a program that starts it as somebody else */
  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}, prefix: readonly string[] = []) {
    const [program = '', ...words] = [...prefix, process.execPath, MAIN, ...args];
    const child = spawn(program, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1', ...env },
    });
    this.child = child;
    createInterface({ input: child.stdout }).on('line', (line) => {
      this.#lines.push(line);
      this.#wake();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString();
    });
    this.ended = once(child, 'close').then(([code, signal]) => {
      this.#over = true;
      this.#wake();
      return { code, signal, stdout: this.#lines.join('\n'), stderr: this.#stderr } as CommandOutcome;
    });
  }

  /** Resolves with the first line of the output that matches; rejects when the command ends without one. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = this.#lines.find((line) => pattern.test(line));
      if (found !== undefined) return found;
      if (this.#over) {
        throw new Error(`no line matches ${pattern}:\n${this.#lines.join('\n')}\n${this.#stderr}`);
      }
      await new Promise<void>((resolve) => this.#waiters.add(resolve));
    }
  }

  #wake(): void {
    for (const resolve of this.#waiters) resolve();
    this.#waiters.clear();
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
