import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { firstProcessOf } from '../../support/first-process.ts';

/** Asks a name server for the address of a name ten times a second, always from the same port; says what is new. */
const PROGRAM = `
const [server, name] = process.argv.slice(1);
const head = Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
const labels = name.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]);
const question = Buffer.concat([head, Buffer.from([...labels, 0, 0, 1, 0, 1])]);
let last;
const say = (what) => { if (what !== last) console.log(last = what); };
const socket = require('dgram').createSocket('udp4');
socket.on('error', ({ code }) => say(code));
socket.on('message', (answer) => say(['NOERROR', , , 'NXDOMAIN'][answer[3] & 15] ?? 'other'));
socket.connect(53, server, () => setInterval(() => socket.send(question, () => {}), 100));
`;

/** A program in a pod that keeps the port it asks names from, as servers do that pass questions on. */
export class Asker {
  readonly #child: ChildProcess;
  readonly #said: string[] = [];

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(pod: Pod, server: string, name: string): Promise<Asker> {
    const pid = await firstProcessOf(pod);
    const inside = ['-t', String(pid), '-n', '--', process.execPath, '-e', PROGRAM, server, name];
    const child = spawn('nsenter', inside, { stdio: ['ignore', 'pipe', 'inherit'] });
    const asker = new Asker(child);
    createInterface({ input: child.stdout }).on('line', (line) => {
      asker.#said.push(line);
      child.emit('said');
    });
    return asker;
  }

  /** Resolves when what it got last is this answer. */
  async answers(wanted: 'NOERROR' | 'NXDOMAIN'): Promise<void> {
    const limit = AbortSignal.timeout(PATIENCE_MS);
    while (this.#said.at(-1) !== wanted) {
      await once(this.#child, 'said', { signal: limit }).catch((cause: unknown) => {
        throw new Error(`no ${wanted} within ${PATIENCE_MS / 1000} s, but ${this.#said.join(', ')}`, {
          cause,
        });
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill();
    await ended;
  }
}
