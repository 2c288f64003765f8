/** `npm run test:cluster [-- --image NAME] [--again] [--landing] [part…]`: the suite on a Kubernetes cluster. See README.md. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { formatColumns } from '../../bench/report.ts';
import { inventory } from '../support/inventory.ts';
import { named, runFiles, runOnceMore } from '../support/run-files.ts';
import { ALONE, FAULTS, FAULTS_ALONE, fileOf, LANDING, LAST, PARTS, TOGETHER } from './parts.ts';
import { buildImages, openRig } from './rig.ts';
import { openClusterNetwork } from './support/cluster-network.ts';
import { readFigures } from './support/figures.ts';
import { remainsOf, shopOf } from './support/remains.ts';
import { type ClusterSettings, clusterEnvironment, connect, isNodeHere } from './support/settings.ts';

const BUILT_IMAGE = 'turnsole.local/turnsole:dev';
const BUILT_STAND_INS = 'turnsole.local/stand-ins:dev';
const BUILT_STEPS_TAG = 'test';

const { values, positionals } = parseArgs({
  options: {
    image: { type: 'string' },
    'stand-ins': { type: 'string' },
    'steps-tag': { type: 'string' },
    'pull-policy': { type: 'string' },
    collector: { type: 'string' },
    namespace: { type: 'string', default: 'turnsole-test' },
    parallel: { type: 'string', default: '2' },
    'enforces-policies': { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    landing: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

/** A cluster with an image in it, or why there is none. */
interface Place extends AsyncDisposable {
  readonly kubeconfig: string;
  readonly image: string;
  readonly standIns: string | undefined;
  readonly stepsTag: string | undefined;
  readonly pullPolicy: ClusterSettings['pullPolicy'];
}

async function findPlace(): Promise<Place> {
  const { KUBE_RIG, KUBECONFIG } = process.env;
  const image = values.image ?? process.env.TURNSOLE_IMAGE;
  const standIns = values['stand-ins'];
  const stepsTag = values['steps-tag'];
  const pullPolicy = (values['pull-policy'] ?? 'IfNotPresent') as ClusterSettings['pullPolicy'];
  if (KUBE_RIG !== undefined && KUBE_RIG !== '') {
    const rig = await openRig(KUBE_RIG);
    const dispose = async (): Promise<void> => rig[Symbol.asyncDispose]();
    const place = { kubeconfig: rig.kubeconfig, pullPolicy, [Symbol.asyncDispose]: dispose };
    if (image !== undefined) return { ...place, image, standIns, stepsTag };
    await buildImages(KUBE_RIG, [BUILT_IMAGE, BUILT_STAND_INS, BUILT_STEPS_TAG]);
    return { ...place, image: BUILT_IMAGE, standIns: BUILT_STAND_INS, stepsTag: BUILT_STEPS_TAG };
  }
  if (KUBECONFIG === undefined || KUBECONFIG === '' || image === undefined) {
    throw new Error(
      'set KUBECONFIG to a cluster and --image to an image of Turnsole that it can pull, or KUBE_RIG to the scripts of a rig',
    );
  }
  return {
    kubeconfig: KUBECONFIG,
    image,
    standIns,
    stepsTag,
    pullPolicy,
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Whoever interrupts wants what was made for the tests to go. */
const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interrupted.abort());

async function main(): Promise<number> {
  const startedAt = performance.now();
  const unknown = positionals.filter((name) => !PARTS.includes(name));
  if (unknown.length > 0) {
    console.error(`there is no part ${unknown.join(', ')}; the parts are ${PARTS.join(', ')}`);
    return 2;
  }
  await using place = await findPlace();
  const folder = await mkdtemp(join(tmpdir(), 'turnsole-cluster-'));
  const { kubeconfig, image, standIns, stepsTag, pullPolicy } = place;
  const { namespace } = values;
  const client = await connect({ kubeconfig });
  const remains = await remainsOf(client, namespace);
  if (remains !== undefined) {
    console.error(remains);
    client.close();
    return 2;
  }
  // A rig enforces no NetworkPolicies. A bare one has no DNS either, and no kube-proxy, without which the API server does not reach the webhook.
  const needsNetwork = process.env.KUBE_RIG !== undefined && (await isNodeHere(client));
  const settings: ClusterSettings = {
    ...{ kubeconfig, image, pullPolicy, namespace },
    enforcesPolicies: needsNetwork || values['enforces-policies'],
    ...(standIns === undefined ? {} : { standIns }),
    ...(stepsTag === undefined ? {} : { stepsTag }),
    ...(values.collector === undefined ? {} : { collector: values.collector }),
    shop: shopOf(namespace),
    figures: join(folder, 'figures.jsonl'),
    inventory: join(folder, 'inventory.txt'),
  };
  try {
    await writeFile(settings.inventory, [...(await inventory(client))].join('\n'));
    await using _network = needsNetwork ? await openClusterNetwork(client) : undefined;
    const failed = await runParts(settings);
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

/** Installs, runs the parts that were asked for, and uninstalls whatever happened; gives the files that failed. */
async function runParts(settings: ClusterSettings): Promise<string[]> {
  const wanted = [...(values.landing ? LANDING : []), ...positionals];
  const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
  const stages: readonly (readonly [readonly string[], number])[] = [
    ...[...ALONE, ...FAULTS_ALONE].filter(isWanted).map((name) => [[name], 1] as const),
    [[...TOGETHER, ...FAULTS].filter(isWanted), Number(values.parallel)],
  ];
  const env = clusterEnvironment(settings);
  const options = { env, signal: interrupted.signal };
  const stage = (parts: readonly string[], concurrency: number): Promise<string[]> =>
    runFiles(parts.map(fileOf), { ...options, concurrency });
  const failed = await stage(['install'], 1);
  try {
    if (failed.length === 0) {
      const failedOnce: string[] = [];
      for (const [parts, concurrency] of stages) {
        if (parts.length > 0) failedOnce.push(...(await stage(parts, concurrency)));
      }
      failed.push(...(values.again ? await runOnceMore(failedOnce, options) : failedOnce));
      for (const part of LAST.filter(isWanted)) {
        const failedLast = await stage([part], 1);
        failed.push(...(values.again ? await runOnceMore(failedLast, options) : failedLast));
      }
    }
  } finally {
    failed.push(...(await runFiles([fileOf('uninstall')], { env, concurrency: 1 })));
  }
  return failed.map(named);
}

function printFigures(file: string): void {
  const rows = readFigures(file);
  if (rows.length === 0) return;
  const head = ['ms', 'times', 'median', 'max', 'bar'];
  const bar = (ms: number, limitMs: number | undefined): string[] =>
    limitMs === undefined ? [] : [`${limitMs}${ms > limitMs ? ' missed' : ''}`];
  const lines = rows.map(({ title, count, medianMs, maxMs, barMs, maxBarMs }) => [
    title,
    String(count),
    medianMs.toFixed(0),
    maxMs.toFixed(0),
    [...bar(medianMs, barMs), ...bar(maxMs, maxBarMs)].join(' / '),
  ]);
  console.log(`\n${formatColumns(head, lines)}\n`);
}

process.exitCode = await main();
