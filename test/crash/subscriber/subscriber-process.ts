import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../../src/process/package-root.ts';

const MAIN = join(PACKAGE_ROOT, 'src', 'cli', 'main.ts');

/** The subscriber as a process of its own, which can be killed and started again. */
export class SubscriberProcess {
  readonly #kubeconfig: string;
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  /** Its last lines on standard error, for a report. */
  said = '';

  readonly #main: string;

  /** @param main the program: its sources, or a bundle of them */
  constructor(kubeconfig: string, env: Readonly<Record<string, string>>, main = MAIN) {
    this.#kubeconfig = kubeconfig;
    this.#env = env;
    this.#main = main;
  }

  /** Of the process that runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): void {
    const off = ['-metrics-bind-address=0', '-health-probe-bind-address=0'];
    const child = spawn(
      process.execPath,
      [
        '--max-semi-space-size=1',
        '--heap-growing-percent=30',
        '--optimize-for-size',
        '--expose-gc',
        this.#main,
        'subscriber',
        '-kubeconfig',
        this.#kubeconfig,
        ...off,
      ],
      { env: { ...process.env, LOG_LEVEL: 'error', ...this.#env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
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
