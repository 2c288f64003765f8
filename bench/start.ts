/**
 * Time and memory from the start of a component's process to its first connection to the API server, as in a pod: from the sources and from the bundle
 * (`npm run build` first), of this checkout and of others beside it.
 *
 *   npm run bench:start [-- --rounds 15 --against FOLDER --json FILE]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { parseArgs } from 'node:util';
import { exactCpuMs, residentMegabytes } from './api/process.ts';
import { formatColumns, median, writeJson } from './report.ts';

const ROOT = join(import.meta.dirname, '..');
/** Far more than a start takes; a component that says nothing for so long does not work. */
const LIMIT_MS = 20_000;
const CODE = { sources: 'src/cli/main.ts', bundle: 'dist/main.js' } as const;
const ARGUMENTS = { experiment: ['experiment', '-name', 'pod-delete'], runner: ['runner'] } as const;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    against: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
  },
});
const rounds = Number(values.rounds);

interface Sample {
  /** Until the first connection. */
  readonly ms: number;
  /** Processor time of the process until then. */
  readonly cpuMs: number;
  readonly megabytes: number;
}

interface Variant {
  readonly checkout: string;
  readonly code: keyof typeof CODE;
  readonly component: keyof typeof ARGUMENTS;
  readonly cache: boolean;
}

const folder = await mkdtemp(join(tmpdir(), 'turnsole-bench-'));
let onConnection: () => void = () => {};
/** Stands in for the API server until a request arrives. */
const server = createServer((socket) => {
  onConnection();
  socket.on('error', () => {}).destroy();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
// A listening TCP server has an address with a port.
const { port } = server.address() as AddressInfo;
/** What Kubernetes mounts into a pod. */
const mounted = join(folder, 'var/run/secrets/kubernetes.io/serviceaccount');
await mkdir(mounted, { recursive: true });
for (const [name, text] of [
  ['ca.crt', rootCertificates[0] ?? ''],
  ['namespace', 'default'],
  ['token', 'token'],
] as const) {
  await writeFile(join(mounted, name), text);
}

const checkouts = [ROOT, ...values.against];
const outcome: (Variant & { readonly samples: readonly Sample[] })[] = [];
for (const code of ['sources', 'bundle'] as const) {
  for (const checkout of checkouts) {
    if (!existsSync(join(checkout, CODE[code]))) {
      throw new Error(`${CODE[code]} is missing in ${checkout}; run "npm run build" there`);
    }
  }
  for (const component of ['experiment', 'runner'] as const) {
    for (const cache of [false, true]) outcome.push(...(await measure({ code, component, cache })));
  }
}
server.close();
await rm(folder, { recursive: true, force: true });
console.log(
  formatColumns(
    ['median of starts', 'wall ms', 'cpu ms', 'MB'],
    outcome.map(({ checkout, code, component, cache, samples }) => {
      const of = (key: keyof Sample): string => median(samples.map((sample) => sample[key])).toFixed(1);
      const title = `${component}, ${code}${cache ? ', compile cache' : ''}`;
      return [
        checkouts.length > 1 ? `${title}: ${basename(checkout)}` : title,
        of('ms'),
        of('cpuMs'),
        of('megabytes'),
      ];
    }),
  ),
);
await writeJson(values.json, { benchmark: 'start', outcome });

/** Rounds alternate between the checkouts, so that what else the machine does hits all of them. */
async function measure(variant: Omit<Variant, 'checkout'>): Promise<typeof outcome> {
  const all = checkouts.map((checkout) => ({ ...variant, checkout, samples: [] as Sample[] }));
  for (let round = 0; round <= rounds; round++) {
    for (const one of all) {
      const sample = await start(one);
      // The first one fills caches.
      if (round > 0) one.samples.push(sample);
    }
  }
  return all;
}

async function start({ checkout, code, component, cache }: Variant): Promise<Sample> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(checkout, CODE[code]), ...ARGUMENTS[component]], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      CHAOS_NAMESPACE: 'default',
      CHAOSENGINE: 'bench',
      EXPERIMENT_NAME: 'pod-delete',
      EXPERIMENT_LIST: 'pod-delete',
      POD_NAME: 'bench',
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(port),
      TURNSOLE_POD_ROOT: folder,
      ...(cache ? { NODE_COMPILE_CACHE: join(folder, `cache-${checkouts.indexOf(checkout)}-${code}`) } : {}),
    },
  });
  const ms = await firstConnection(child, startedAt);
  const pid = child.pid ?? 0;
  const [cpuMs, megabytes] = [exactCpuMs(pid), residentMegabytes([pid])];
  // Asked to end first, so that Node writes its compile cache.
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), 2_000);
  await once(child, 'exit');
  clearTimeout(killer);
  return { ms, cpuMs, megabytes };
}

function firstConnection(child: ChildProcess, startedAt: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no connection within the limit')), LIMIT_MS);
    const settle = (done: () => void): void => {
      clearTimeout(timer);
      onConnection = () => {};
      done();
    };
    onConnection = () => settle(() => resolve(performance.now() - startedAt));
    child.once('exit', (exitCode) => settle(() => reject(new Error(`it ended with exit code ${exitCode}`))));
  });
}
