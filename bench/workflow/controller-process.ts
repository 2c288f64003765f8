import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../build/bundle.ts';
import { cpuSeconds, residentMegabytes } from '../api/process.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const LAST_LINES = 15;

/** A controller in a process of its own. */
export class ControllerProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  readonly #folder: string;
  readonly #logFile: string;
  #isEnding = false;

  private constructor(child: ChildProcess, folder: string, logFile: string) {
    this.#child = child;
    this.#folder = folder;
    this.#logFile = logFile;
    this.#closed = once(child, 'exit');
    child.once('exit', (code, signal) => {
      if (this.#isEnding) return;
      // Nothing that waits for the controller would ever end.
      throw new Error(
        `the controller ended with ${code ?? signal}; the end of its log:\n${this.lastLines()}`,
      );
    });
  }

  /**
   * @param server what it asks in place of the API server
   * @param peer the command of another controller, for `sh -c`; ours without one
   */
  static async start(server: string, peer: string | undefined): Promise<ControllerProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'turnsole-bench-workflow-'));
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigFor(server));
    const logFile = join(folder, 'log');
    const log = await open(logFile, 'w');
    const [program = '', ...args] =
      peer === undefined ? await ownCommand(folder, kubeconfig) : ['sh', '-c', `exec ${peer}`];
    const child = spawn(program, args, {
      stdio: ['ignore', log.fd, log.fd],
      env: { ...process.env, KUBECONFIG: kubeconfig, LEADER_ELECTION_DISABLE: 'true' },
    });
    await log.close();
    return new ControllerProcess(child, folder, logFile);
  }

  get residentMb(): number {
    return residentMegabytes([this.#child.pid ?? 0]);
  }

  get cpuSeconds(): number {
    return cpuSeconds([this.#child.pid ?? 0]);
  }

  /** The most it has had resident so far, by the kernel's own count. */
  async peakMb(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  lastLines(): string {
    return readFileSync(this.#logFile, 'utf8').split('\n').slice(-LAST_LINES).join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true;
    this.#child.kill('SIGKILL');
    await this.#closed;
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The bundle that the image has. */
async function ownCommand(folder: string, kubeconfig: string): Promise<string[]> {
  await bundle(ROOT, join(folder, 'dist'));
  for (const name of ['bin', 'package.json'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  const main = join(folder, 'bin', 'turnsole.js');
  const off = ['-metrics-bind-address', '0', '-health-probe-bind-address', '0'];
  return [process.execPath, main, 'workflow-controller', '-kubeconfig', kubeconfig, ...off];
}

function kubeconfigFor(server: string): string {
  const [name, user] = ['bench', 'controller'];
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server } }],
    users: [{ name: user, user: {} }],
    contexts: [{ name, context: { cluster: name, user, namespace: 'default' } }],
  });
}
