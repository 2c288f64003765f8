/** `npm run test:cluster [-- --image NAME] [part…]`: the suite on a Kubernetes cluster. See README.md. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatColumns } from '../../bench/report.ts';
import { WEBHOOK_NAME } from '../../src/cli/install/names.ts';
import { inventory } from '../support/inventory.ts';
import { buildImage, openRig } from './rig.ts';
import { readFigures } from './support/figures.ts';
import { ServiceRoute } from './support/service-route.ts';
import { type ClusterSettings, clusterEnvironment, connect, isNodeHere } from './support/settings.ts';

const FOLDER = 'test/cluster';
/** What concerns the whole cluster runs alone. */
const ALONE = ['operator', 'figures'] as const;
const TOGETHER = ['engines', 'crash', 'changes', 'webhook', 'charts'] as const;
/** Those of test/faults that work on pods; the others make networks of their own. */
const FAULTS = [
  'disk-fill',
  'dns',
  'exec-stress',
  'http',
  'network-pods',
  'node-stress',
  'pod-stress',
] as const;
const BUILT_IMAGE = 'turnsole.local/turnsole:dev';

const { values, positionals } = parseArgs({
  options: {
    image: { type: 'string' },
    'pull-policy': { type: 'string' },
    namespace: { type: 'string', default: 'turnsole-test' },
    parallel: { type: 'string', default: '2' },
  },
  allowPositionals: true,
});

/** A cluster with an image in it, or why there is none. */
interface Place extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly image: string;
  readonly pullPolicy: ClusterSettings['pullPolicy'];
}

async function findPlace(): Promise<Place> {
  const { KUBE_RIG, KUBECONFIG } = process.env;
  const image = values.image ?? process.env.TURNSOLE_IMAGE;
  const pullPolicy = (values['pull-policy'] ?? 'IfNotPresent') as ClusterSettings['pullPolicy'];
  if (KUBE_RIG !== undefined && KUBE_RIG !== '') {
    const rig = await openRig(KUBE_RIG);
    if (image === undefined) await buildImage(KUBE_RIG, BUILT_IMAGE);
    const dispose = async (): Promise<void> => rig[Symbol.asyncDispose]();
    return {
      kubeconfig: rig.kubeconfig,
      image: image ?? BUILT_IMAGE,
      pullPolicy,
      [Symbol.asyncDispose]: dispose,
    };
  }
  if (KUBECONFIG === undefined || KUBECONFIG === '' || image === undefined) {
    throw new Error(
      'set KUBECONFIG to a cluster and --image to an image of Turnsole that it can pull, or KUBE_RIG to the scripts of a rig',
    );
  }
  return { kubeconfig: KUBECONFIG, image, pullPolicy, [Symbol.asyncDispose]: async () => {} };
}

async function main(): Promise<number> {
  const startedAt = performance.now();
  await using place = await findPlace();
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-cluster-'));
  const { kubeconfig, image, pullPolicy } = place;
  const { namespace } = values;
  const settings: ClusterSettings = {
    ...{ kubeconfig, image, pullPolicy, namespace },
    shop: `${namespace}-shop`,
    figures: join(folder, 'figures.jsonl'),
    inventory: join(folder, 'inventory.txt'),
  };
  const client = await connect(settings);
  try {
    await writeFile(settings.inventory, [...(await inventory(client))].join('\n'));
    // A rig has no kube-proxy, without which the API server does not find the webhook.
    const needsRoute = process.env.KUBE_RIG !== undefined && (await isNodeHere(client));
    const route = needsRoute ? new ServiceRoute(client, namespace, WEBHOOK_NAME) : undefined;
    const failed = await runParts(settings).finally(() => route?.close());
    printFigures(settings.figures);
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    console.log(
      failed.length === 0 ? `passed in ${minutes} min` : `failed in ${minutes} min: ${failed.join(', ')}`,
    );
    return failed.length === 0 ? 0 : 1;
  } finally {
    client.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Installs, runs the parts that were asked for, and uninstalls whatever happened; gives those that failed. */
async function runParts(settings: ClusterSettings): Promise<string[]> {
  const own = (name: string): string => `${FOLDER}/${name}.test.ts`;
  const faults = (name: string): string => `test/faults/${name}.test.ts`;
  const isWanted = (name: string): boolean => positionals.length === 0 || positionals.includes(name);
  const known = [...ALONE, ...TOGETHER, ...FAULTS] as readonly string[];
  const unknown = positionals.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}; there are ${known.join(', ')}`);
  const stages: readonly (readonly [readonly string[], number])[] = [
    ...ALONE.filter(isWanted).map((name) => [[own(name)], 1] as const),
    [
      [...TOGETHER.filter(isWanted).map(own), ...FAULTS.filter(isWanted).map(faults)],
      Number(values.parallel),
    ],
  ];
  const failed: string[] = [];
  const stage = async (files: readonly string[], parallel: number): Promise<void> => {
    const present = files.filter((file) => existsSync(file));
    if (present.length > 0 && !(await runTests(present, parallel, settings))) failed.push(...present);
  };
  await stage([own('install')], 1);
  if (failed.length === 0) for (const [files, parallel] of stages) await stage(files, parallel);
  await stage([own('uninstall')], 1);
  return failed;
}

/** Runs test files, so many at a time; whether all passed. */
async function runTests(
  files: readonly string[],
  parallel: number,
  settings: ClusterSettings,
): Promise<boolean> {
  const child = spawn(process.execPath, ['--test', `--test-concurrency=${parallel}`, ...files], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...clusterEnvironment(settings) },
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0;
}

function printFigures(file: string): void {
  const rows = readFigures(file);
  if (rows.length === 0) return;
  const head = ['ms', 'times', 'median', 'max', 'bar'];
  const lines = rows.map(({ title, count, medianMs, maxMs, barMs }) => [
    title,
    String(count),
    medianMs.toFixed(0),
    maxMs.toFixed(0),
    barMs === undefined ? '' : `${barMs}${medianMs > barMs ? ' missed' : ''}`,
  ]);
  console.log(`\n${formatColumns(head, lines)}\n`);
}

process.exitCode = await main();
