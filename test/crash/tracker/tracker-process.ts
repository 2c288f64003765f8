import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../../src/process/package-root.ts';

const MAIN = join(PACKAGE_ROOT, 'bin', 'turnsole.js');

/** The event tracker as a process of its own, as the command starts it. */
export class TrackerProcess {
  readonly #kubeconfig: string;
  readonly #namespace: string;
  #child: ChildProcess | undefined;
  /** What it said last, for a report. */
  said = '';

  constructor(kubeconfig: string, namespace: string) {
    this.#kubeconfig = kubeconfig;
    this.#namespace = namespace;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    const off = ['-metrics-bind-address=0', '-health-probe-bind-address=0'];
    const own = { INFRA_NAMESPACE: this.#namespace, INFRA_SCOPE: 'namespace', LOG_LEVEL: 'error' };
    const child = spawn(process.execPath, [MAIN, 'event-tracker', '-kubeconfig', this.#kubeconfig, ...off], {
      env: { ...process.env, ...own },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.said = `${this.said}${chunk.toString()}`.slice(-4_000);
      });
    }
    this.#child = child;
  }

  /** Ends it without a chance to do anything. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
}
