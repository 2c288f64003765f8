import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '@turnsole/kube/base/free-ports';

const POLL_MS = 50;
const READY_LIMIT_MS = 60_000;

/** A component of an installation as its Deployment starts it, or a Node that does nothing. */
export class ComponentProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #healthPort: number;
  readonly #kill = (): boolean => this.#child.kill('SIGKILL');

  private constructor(child: ChildProcess, healthPort: number) {
    this.#child = child;
    this.#healthPort = healthPort;
    process.once('exit', this.#kill);
  }

  /**
   * @param home has `bin` and `dist`, as the image
   * @param nodeOptions further options of Node, for comparisons
   */
  static async start(
    name: string,
    home: string,
    env: Readonly<Record<string, string>>,
    nodeOptions: readonly string[],
  ): Promise<ComponentProcess> {
    const [metrics = 0, health = 0] = await freePorts(2);
    const addresses = [
      `-metrics-bind-address=127.0.0.1:${metrics}`,
      `-health-probe-bind-address=127.0.0.1:${health}`,
    ];
    const args = [...nodeOptions, join(home, 'bin', 'turnsole.js'), name, ...addresses];
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
    return new ComponentProcess(child, health);
  }

  /** Node without a program. */
  static bare(): ComponentProcess {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], { stdio: 'ignore' });
    return new ComponentProcess(child, 0);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves when it says that it is ready; asked again and again, as no event reports that. */
  async ready(): Promise<void> {
    if (this.#healthPort === 0) return;
    const deadline = performance.now() + READY_LIMIT_MS;
    while (!(await this.#isReady())) {
      if (this.#child.exitCode !== null || performance.now() > deadline) {
        throw new Error(
          `${this.#child.spawnargs.join(' ')} is not ready (exit code ${this.#child.exitCode})`,
        );
      }
      await delay(POLL_MS);
    }
  }

  async #isReady(): Promise<boolean> {
    try {
      const request = get({ host: '127.0.0.1', port: this.#healthPort, path: '/readyz' });
      // The event of a request that is answered has the answer.
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      response.resume();
      return response.statusCode === 200;
    } catch {
      return false;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#kill);
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const killer = setTimeout(this.#kill, 5_000);
    await ended;
    clearTimeout(killer);
  }
}
