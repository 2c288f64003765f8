/**
 * The overhead of a run: what a user waits beyond the chaos itself.
 *
 * One embedded cluster, one deployment of three pods; then engine after engine with pod-delete for one second, one round.
 * All times are taken from outside, by watching the API as a user would: when the engine was created, when the first
 * target pod was marked for deletion, when the verdict stood in the engine.
 *
 *   npm run bench:run [-- --runs 30] [--json FILE]
 */
import { parseArgs } from 'node:util';
import { createClient } from '@turnsole/kube/client/index';
import type { KubeClient, NewObject } from '@turnsole/kube/client/types';
import type { Deployment, KubeObject, Pod } from '@turnsole/kube/kinds/core';
import {
  DEPLOYMENTS,
  PODS,
  type Resource,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
} from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { parse } from 'yaml';
import { CHAOS_ENGINES, CHAOS_EXPERIMENTS, type ChaosEngine } from '../src/api/index.ts';
import { startChaosCluster } from '../src/embedded/index.ts';
import { startLocalOperator } from '../src/runs/session/open-cluster.ts';
import { chaosAccount, documents, engine, experiment, webApp } from '../test/support/manifests.ts';
import { formatTable, type Summary, summarize, writeJson } from './report.ts';

const CHAOS_SECONDS = 1;
const WAIT_MS = 60_000;

/** Milliseconds of one run, each from the moment before the engine was created unless said otherwise. */
interface Sample {
  readonly toFirstInjection: number;
  readonly endOfChaosToVerdict: number;
  readonly lastInjectionToVerdict: number;
  readonly toVerdict: number;
  readonly overhead: number;
}

const FIGURES: readonly (readonly [keyof Sample, string])[] = [
  ['overhead', 'overhead (creation to verdict, minus chaos)'],
  ['toFirstInjection', 'engine creation to first injection'],
  ['lastInjectionToVerdict', 'last injection to verdict in the engine'],
  ['endOfChaosToVerdict', 'end of chaos to verdict in the engine'],
  ['toVerdict', 'engine creation to verdict in the engine'],
];

const RESOURCES: Readonly<Record<string, Resource>> = Object.fromEntries(
  [DEPLOYMENTS, SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS, CHAOS_EXPERIMENTS].map((resource) => [
    resource.kind,
    resource,
  ]),
);

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { runs: { type: 'string', default: '30' }, json: { type: 'string' } },
  });
  const runs = Number(values.runs);
  const startedAt = performance.now();
  const cluster = await startChaosCluster({});
  const clusterReadyMs = performance.now() - startedAt;
  const client = createClient(cluster.adminConfig);
  const operator = await startLocalOperator(client, { verbose: false });
  try {
    await prepare(client);
    const samples: Sample[] = [];
    // The first run fills caches on disk (stripped types, compiled code); users pay for it once per installation.
    const cold = await measure(client, 'cold');
    for (let run = 0; run < runs; run++) samples.push(await measure(client, `run-${run}`));
    const figures = FIGURES.map(([key, title]) => ({
      title,
      ...summarize(samples.map((sample) => sample[key])),
    }));
    report({ runs, clusterReadyMs, coldOverheadMs: cold.overhead, figures });
    await writeJson(values.json, {
      benchmark: 'run',
      runs,
      unit: 'ms',
      clusterReadyMs,
      cold,
      figures,
      samples,
    });
  } finally {
    await operator.stop();
    client.close();
    await cluster.close();
  }
}

function report(outcome: {
  runs: number;
  clusterReadyMs: number;
  coldOverheadMs: number;
  figures: (Summary & { title: string })[];
}): void {
  console.log(
    `pod-delete on the embedded cluster, ${outcome.runs} runs of ${CHAOS_SECONDS} s, in milliseconds\n`,
  );
  console.log(formatTable(outcome.figures));
  console.log(`\nembedded cluster: start to ready ${outcome.clusterReadyMs.toFixed(0)} ms`);
  console.log(`first run with cold caches: overhead ${outcome.coldOverheadMs.toFixed(0)} ms`);
}

async function prepare(client: KubeClient): Promise<void> {
  const texts = documents(webApp(), chaosAccount(), experiment('pod-delete')).split('\n---\n');
  for (const object of texts.map((text) => parse(text) as NewObject<KubeObject> & { kind: string })) {
    const resource = RESOURCES[object.kind];
    if (resource !== undefined) await client.create(resource, object, { namespace: 'default' });
  }
  await waitForObject<Deployment>(client, DEPLOYMENTS, 'web', (web) => web?.status?.availableReplicas === 3, {
    namespace: 'default',
    timeoutMs: WAIT_MS,
  });
}

async function measure(client: KubeClient, name: string): Promise<Sample> {
  const watching = new AbortController();
  const injections: number[] = [];
  const { metadata } = await client.list<Pod>(PODS, { namespace: 'default', labelSelector: 'app=web' });
  const watched = recordDeletions(client, metadata.resourceVersion, injections, watching.signal);
  const manifest = parse(engine({ name, experiments: [{ name: 'pod-delete' }] })) as NewObject<ChaosEngine>;
  const createdAt = performance.now();
  await client.create<ChaosEngine>(CHAOS_ENGINES, manifest, { namespace: 'default' });
  const ended = await waitForObject<ChaosEngine>(
    client,
    CHAOS_ENGINES,
    name,
    (found) => !['Awaited', 'N/A', undefined].includes(found?.status?.experiments?.[0]?.verdict),
    { namespace: 'default', timeoutMs: WAIT_MS },
  );
  const verdictAt = performance.now();
  watching.abort();
  await watched;
  const verdict = ended?.status?.experiments?.[0]?.verdict;
  const [first] = injections;
  const last = injections.at(-1);
  if (verdict !== 'Pass' || first === undefined || last === undefined) {
    throw new Error(`run ${name} ended with verdict ${verdict} after ${injections.length} injections`);
  }
  await finish(client, name);
  const chaosMs = CHAOS_SECONDS * 1000;
  return {
    toFirstInjection: first - createdAt,
    endOfChaosToVerdict: verdictAt - (first + chaosMs),
    lastInjectionToVerdict: verdictAt - last,
    toVerdict: verdictAt - createdAt,
    overhead: verdictAt - createdAt - chaosMs,
  };
}

/** Notes when target pods are marked for deletion or deleted, each pod once. */
async function recordDeletions(
  client: KubeClient,
  resourceVersion: string,
  times: number[],
  signal: AbortSignal,
): Promise<void> {
  const seen = new Set<string | undefined>();
  const watch = client.watch<Pod>(PODS, {
    namespace: 'default',
    labelSelector: 'app=web',
    resourceVersion,
    signal,
  });
  try {
    for await (const event of watch) {
      if (event.type === 'BOOKMARK' || event.type === 'ADDED') continue;
      const { uid, deletionTimestamp } = event.object.metadata;
      if (seen.has(uid) || (event.type === 'MODIFIED' && deletionTimestamp === undefined)) continue;
      seen.add(uid);
      times.push(performance.now());
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Removes the engine and waits for it and for three ready pods, so that runs do not disturb each other. */
async function finish(client: KubeClient, name: string): Promise<void> {
  await client.delete(CHAOS_ENGINES, name, { namespace: 'default' });
  await waitForObject<ChaosEngine>(client, CHAOS_ENGINES, name, (found) => found === undefined, {
    namespace: 'default',
    timeoutMs: WAIT_MS,
  });
  await waitForObject<Deployment>(client, DEPLOYMENTS, 'web', (web) => web?.status?.availableReplicas === 3, {
    namespace: 'default',
    timeoutMs: WAIT_MS,
  });
}

await main();
