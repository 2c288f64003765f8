/** Starts the outside observer, a process of its own. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { type Observed, readLog } from './observer-log.ts';

const PROGRAM = fileURLToPath(new URL('programs/observer.mjs', import.meta.url));

/** An observer at work. */
export class Observer implements AsyncDisposable {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #text: Promise<string>;

  /** @param limitMs after which an answer counts as none */
  constructor(url: string, everyMs: number, limitMs: number) {
    this.#child = spawn(process.execPath, [PROGRAM, url, String(everyMs), String(limitMs)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#text = this.#child.stdout
      .setEncoding('utf8')
      .reduce((text: string, piece: string) => text + piece, '');
  }

  /** Ends it and gives what it saw. */
  async log(): Promise<readonly Observed[]> {
    this.#child.stdin.end();
    return readLog(await this.#text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
