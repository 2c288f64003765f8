/**
 * Time and memory from the start of a component's process to its first API request, from the sources and from the bundle
 * (`npm run build` first). Prints a table and JSON.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const ROUNDS = Number(process.env.ROUNDS ?? 15);
/** Far more than a start takes; a component that says nothing for so long does not work. */
const LIMIT_MS = 20_000;

interface Sample {
  readonly ms: number;
  readonly rssMb: number;
}

interface Variant {
  readonly code: 'sources' | 'bundle';
  readonly component: 'experiment' | 'runner' | 'operator';
  readonly cache: boolean;
}

const CODE = { sources: join(ROOT, 'src/cli/main.ts'), bundle: join(ROOT, 'dist/main.js') } as const;
const folder = await mkdtemp(join(tmpdir(), 'turnsole-bench-'));
const kubeconfig = join(folder, 'kubeconfig');
let onRequest: () => void = () => {};
const server = createServer((_request, response) => {
  onRequest();
  response.writeHead(500).end('{}');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
// A listening TCP server has an address with a port.
const { port } = server.address() as AddressInfo;
await writeFile(
  kubeconfig,
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    clusters: [{ name: 'bench', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'bench', user: {} }],
  }),
);

const rows: Record<string, unknown>[] = [];
for (const code of ['sources', 'bundle'] as const) {
  if (!existsSync(CODE[code])) throw new Error(`${CODE[code]} is missing; run "npm run build"`);
  for (const component of ['experiment'] as const) {
    for (const cache of [false, true]) {
      const samples: Sample[] = [];
      for (let round = 0; round <= ROUNDS; round++) samples.push(await start({ code, component, cache }));
      // The first one fills caches.
      const kept = samples.slice(1);
      rows.push({
        code,
        component,
        'compile cache': cache,
        'ms to first request (median)': Math.round(median(kept.map(({ ms }) => ms))),
        'RSS MB then (median)': Math.round(median(kept.map(({ rssMb }) => rssMb))),
      });
    }
  }
}
server.close();
await rm(folder, { recursive: true, force: true });
console.table(rows);
console.log(JSON.stringify(rows));

async function start({ code, component, cache }: Variant): Promise<Sample> {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [CODE[code], component, '-name', 'pod-delete', '-kubeconfig', kubeconfig],
    {
      stdio: 'ignore',
      env: {
        PATH: process.env.PATH,
        CHAOS_NAMESPACE: 'default',
        CHAOSENGINE: 'bench',
        EXPERIMENT_NAME: 'pod-delete',
        POD_NAME: 'bench',
        ...(cache ? { NODE_COMPILE_CACHE: join(folder, `cache-${code}`) } : {}),
      },
    },
  );
  const ms = await firstRequest(child, startedAt);
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const rssMb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  // Asked to end first, so that Node writes its compile cache.
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), 2_000);
  await once(child, 'exit');
  clearTimeout(killer);
  return { ms, rssMb };
}

function firstRequest(child: ChildProcess, startedAt: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no request within the limit')), LIMIT_MS);
    const settle = (done: () => void): void => {
      clearTimeout(timer);
      onRequest = () => {};
      done();
    };
    onRequest = () => settle(() => resolve(performance.now() - startedAt));
    child.once('exit', (exitCode) => settle(() => reject(new Error(`it ended with exit code ${exitCode}`))));
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
