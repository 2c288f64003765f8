import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '@turnsole/kube/base/free-ports';
import { bundle } from '../../build/bundle.ts';
import { ONE_ARENA } from '../../src/services/install/component-deployment.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const POLL_MS = 50;
const LINE_END = 0x0a;
/** Of `litmuschaos_`, with which samples of results begin. */
const FIRST_LETTER = 0x6c;

/** One scrape. */
export interface Scrape {
  readonly ms: number;
  readonly bytes: number;
  readonly samples: number;
}

/** An exporter as a process of its own. */
export class ExporterProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #port: number;

  constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
    process.once('exit', () => child.kill('SIGKILL'));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Reads a page to its end, as Prometheus would; lines that are samples are counted. */
  async scrape(): Promise<Scrape> {
    const startedAt = performance.now();
    const request = get({ host: '127.0.0.1', port: this.#port, path: '/metrics' });
    // The event of a request that is answered has the answer.
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`the exporter answers ${response.statusCode}`);
    let [bytes, samples] = [0, 0];
    let endsLine = true;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // Pieces end with whole lines, so that most lines of the page's start begin a piece.
      if (endsLine && chunk[0] === FIRST_LETTER) samples += 1;
      for (let at = chunk.indexOf('\nl'); at >= 0; at = chunk.indexOf('\nl', at + 1)) samples += 1;
      endsLine = chunk.at(-1) === LINE_END;
    }
    return { ms: performance.now() - startedAt, bytes, samples };
  }

  /** The whole page, for a look at its lines. */
  async page(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.#port}/metrics`)).text();
  }

  /** Asks until a page has this many samples of results. */
  async until(samples: number): Promise<void> {
    for (;;) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null)
        throw new Error(`the exporter ended with ${this.#child.exitCode}`);
      const page = await this.scrape().catch(() => undefined);
      if (page !== undefined && page.samples >= samples) return;
      await delay(POLL_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await ended;
  }
}

/** Starts an exporter of the whole cluster, from the bundle that the image has, as the Deployment does. */
export async function startExporterProcess(
  kubeconfig: string,
  stack: AsyncDisposableStack,
): Promise<ExporterProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-bench-exporter-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  await bundle(ROOT, join(folder, 'dist'));
  for (const name of ['bin', 'package.json'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  const [port = 0] = await freePorts(1);
  const program = join(folder, 'bin', 'turnsole.js');
  const args = [program, 'exporter', '-kubeconfig', kubeconfig, `-metrics-bind-address=127.0.0.1:${port}`];
  const env = { PATH: process.env.PATH, HOME: folder, LOG_LEVEL: 'error', [ONE_ARENA.name]: ONE_ARENA.value };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
  return stack.use(new ExporterProcess(child, port));
}

/**
 * Starts upstream's exporter of the whole cluster, built elsewhere. Drops its log, which has lines for each result.
 *
 * @param port on which it serves: not a setting of it, but fixed when it was built
 */
export function startPeerProcess(
  [program, port]: readonly [program: string, port: number],
  kubeconfig: string,
  stack: AsyncDisposableStack,
): ExporterProcess {
  const env = { PATH: process.env.PATH };
  const child = spawn(program, ['-kubeconfig', kubeconfig], { env, stdio: 'ignore' });
  return stack.use(new ExporterProcess(child, port));
}
