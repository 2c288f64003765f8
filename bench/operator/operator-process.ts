import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { bundle } from '../../build/bundle.ts';
import { cpuSeconds, residentMegabytes } from '../api/process.ts';
import type { Calls } from './calls.ts';
import { type BenchCluster, HOME } from './cluster.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const POLL_MS = 20;
const LAST_LINES = 10;

/** Where an operator finds its program and its credentials. */
export interface OperatorHome extends AsyncDisposable {
  /** @param election whether it stands for election; alone, a machine that is too busy costs it no lease */
  start(election: 'candidate' | 'alone'): Promise<OperatorProcess>;
}

/**
 * Lays out what the operator's pod would have: the bundle that the image has, and the mounted credentials of its service account.
 *
 * @param nodeOptions further options of Node, for comparisons
 */
export async function operatorHome(
  cluster: BenchCluster,
  nodeOptions: readonly string[] = [],
): Promise<OperatorHome> {
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-bench-operator-'));
  await bundle(ROOT, join(folder, 'dist'));
  for (const name of ['bin', 'package.json'])
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  const { config, token } = await cluster.configOf(HOME, 'turnsole-operator');
  const mounted = join(folder, 'pod', 'var/run/secrets/kubernetes.io/serviceaccount');
  await mkdir(mounted, { recursive: true });
  const files = { 'ca.crt': config.certificateAuthority, token, namespace: HOME };
  for (const [name, text] of Object.entries(files)) await writeFile(join(mounted, name), text);
  const { hostname, port } = new URL(config.server);
  return {
    start: async (election) => {
      const [metrics, health] = await freePorts();
      const logFile = join(folder, `operator-${metrics}.log`);
      const log = await open(logFile, 'w');
      const child = spawn(
        process.execPath,
        [
          ...nodeOptions,
          join(folder, 'bin', 'turnsole.js'),
          'operator',
          `-leader-elect=${election === 'candidate'}`,
          `-metrics-bind-address=127.0.0.1:${metrics}`,
          `-health-probe-bind-address=127.0.0.1:${health}`,
        ],
        {
          stdio: ['ignore', log.fd, 'inherit'],
          env: {
            PATH: process.env.PATH,
            HOME: folder,
            WATCH_NAMESPACE: '',
            TURNSOLE_POD_ROOT: join(folder, 'pod'),
            KUBERNETES_SERVICE_HOST: hostname,
            KUBERNETES_SERVICE_PORT: port,
          },
        },
      );
      await log.close();
      return new OperatorProcess(child, metrics, logFile);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** One `turnsole operator`. */
export class OperatorProcess {
  readonly #child: ChildProcess;
  readonly #metricsPort: number;
  readonly #closed: Promise<unknown>;
  #isEnding = false;

  constructor(child: ChildProcess, metricsPort: number, logFile: string) {
    this.#child = child;
    this.#metricsPort = metricsPort;
    this.#closed = once(child, 'exit');
    const kill = (): boolean => child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', (code, signal) => {
      process.off('exit', kill);
      if (this.#isEnding) return;
      // Nothing that waits for the operator would ever end.
      const log = readFileSync(logFile, 'utf8').split('\n').slice(-LAST_LINES).join('\n');
      throw new Error(`the operator ended with ${code ?? signal}; the end of its log:\n${log}`);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get residentMb(): number {
    return residentMegabytes([this.pid]);
  }

  get cpuSeconds(): number {
    return cpuSeconds([this.pid]);
  }

  /** The most it has had resident so far, by the kernel's own count. */
  async peakMb(): Promise<number> {
    const status = await readFile(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  }

  /** Its /metrics: values by name with labels. Rejects while it does not serve yet. */
  async metrics(): Promise<ReadonlyMap<string, number>> {
    const response = await fetch(`http://127.0.0.1:${this.#metricsPort}/metrics`);
    const lines = (await response.text()).split('\n');
    return new Map(
      lines
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => {
          const end = line.lastIndexOf(' ');
          return [line.slice(0, end), Number(line.slice(end + 1))] as const;
        }),
    );
  }

  /** Resolves to the metrics once they are as wanted; asked for again and again, as no event reports them. */
  async metricsWhen(
    isWanted: (metrics: ReadonlyMap<string, number>) => boolean,
    limitMs = 300_000,
  ): Promise<ReadonlyMap<string, number>> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const metrics = await this.metrics().catch(() => undefined);
      if (metrics !== undefined && isWanted(metrics)) return metrics;
      if (performance.now() > deadline || this.#child.exitCode !== null) {
        throw new Error(`the operator (process ${this.pid}) did not come to the state waited for`);
      }
      await delay(POLL_MS);
    }
  }

  /** Sends a signal; resolves when the process is gone. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#isEnding = true;
    this.#child.kill(signal);
    await this.#closed;
  }
}

/** Requests to the API server so far, without those of the election, which are made by time and not by engines. */
export function callsOf(metrics: ReadonlyMap<string, number>): Calls {
  const calls = new Map<string, number>();
  for (const [name, value] of metrics) {
    const [, verb, resource] = /^turnsole_api_requests_total\{verb="(.*?)",resource="(.*?)"/.exec(name) ?? [];
    if (verb === undefined || resource === 'leases') continue;
    const key = resource === '' ? 'discovery' : `${verb} ${resource}`;
    calls.set(key, (calls.get(key) ?? 0) + value);
  }
  return calls;
}

/** Passes over engines so far. */
export function passesOf(metrics: ReadonlyMap<string, number>): number {
  let passes = 0;
  for (const [name, value] of metrics) {
    if (name.startsWith('controller_runtime_reconcile_total{controller="chaosengine"')) passes += value;
  }
  return passes;
}

/** Engines in its local copy by status. */
export function engineCount(metrics: ReadonlyMap<string, number>, status?: string): number {
  let count = 0;
  for (const [name, value] of metrics) {
    const found = /^turnsole_engines\{status="(.*)"\}$/.exec(name)?.[1];
    if (found !== undefined && (status === undefined || status === found)) count += value;
  }
  return count;
}

async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()];
  const ports: number[] = [];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    ports.push(typeof address === 'object' && address !== null ? address.port : 0);
  }
  for (const server of servers) server.close();
  return [ports[0] ?? 0, ports[1] ?? 0];
}
