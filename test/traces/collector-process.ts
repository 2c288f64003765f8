/** OpenTelemetry's own collector, built from its Go modules, with an exporter that writes what it takes as lines. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { systemClock } from '@turnsole/kube/base/clock';
import { type ReceivedSpan, spansOfJson } from '../../src/process/traces/testing/received.ts';

const run = promisify(execFile);
const SOURCE = join(import.meta.dirname, 'collector');
/** The first build compiles some hundred packages. */
const BUILD_LIMIT_MS = 15 * 60_000;
const START_LIMIT_MS = 30_000;
const LOOPBACK = '127.0.0.1';

/** A collector that listens, and the file with a line for each request that it took. */
export interface Collector extends AsyncDisposable {
  /** `HOST:PORT`, of each protocol. */
  readonly grpc: string;
  readonly http: string;
  readonly spans: () => Promise<ReceivedSpan[]>;
}

/** Whether there is a Go to build it with. */
export async function hasGo(): Promise<boolean> {
  return run('go', ['version']).then(
    () => true,
    () => false,
  );
}

/** Builds it into a folder; gives the program's path. */
export async function buildCollector(folder: string): Promise<string> {
  const program = join(folder, 'collector');
  await run('go', ['build', '-o', program, '.'], { cwd: SOURCE, timeout: BUILD_LIMIT_MS });
  return program;
}

/** @param host that it listens on */
export async function startCollector(program: string, folder: string, host = LOOPBACK): Promise<Collector> {
  const [grpc, http] = [await freeAddress(host), await freeAddress(host)];
  const path = join(await mkdtemp(join(folder, 'run-')), 'traces.jsonl');
  const config = {
    receivers: { otlp: { protocols: { grpc: { endpoint: grpc }, http: { endpoint: http } } } },
    exporters: { lines: { path } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['lines'] } },
    },
  };
  // JSON is YAML.
  const child = spawn(program, ['--config', `yaml:${JSON.stringify(config)}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await ready(child);
  return {
    grpc,
    http,
    spans: async () => {
      const text = existsSync(path) ? await readFile(path, 'utf8') : '';
      // What stands behind the last end of a line is being written.
      const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
      return lines.filter((line) => line !== '').flatMap(spansOfJson);
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

/** Resolves when it says so; rejects with what it said when it ends before, and after 30 s. */
async function ready(child: ChildProcess): Promise<void> {
  const said: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (child.stderr === null) throw new Error('no standard error');
  createInterface({ input: child.stderr }).on('line', (line) => {
    said.push(line);
    if (line.includes('Everything is ready')) resolve();
  });
  child.once('exit', () => reject(new Error(`the collector has ended:\n${said.join('\n')}`)));
  const cancel = systemClock.setTimer(START_LIMIT_MS, () =>
    reject(new Error(`not ready:\n${said.join('\n')}`)),
  );
  await promise.finally(cancel);
}

async function freeAddress(host: string): Promise<string> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `${host}:${port}`;
}
