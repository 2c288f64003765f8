import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Lease } from '@turnsole/kube/kinds/core';
import { LEASES } from '@turnsole/kube/kinds/resources';
import { CHAOS_ENGINES, OPERATOR_LEASE } from '../../src/api/index.ts';
import { type Summary, summarize } from '../report.ts';
import { type Calls, callsSince, sumOfCalls, totalOf } from './calls.ts';
import { type BenchCluster, HOME, NAMESPACE } from './cluster.ts';
import { copyEngine, createEngines, type EngineTimes, forAll, names } from './engines.ts';
import {
  callsOf,
  engineCount,
  type OperatorHome,
  type OperatorProcess,
  passesOf,
} from './operator-process.ts';

/** What all phases work on. */
export interface Bench {
  readonly cluster: BenchCluster;
  readonly home: OperatorHome;
  readonly times: EngineTimes;
  /** The one that works. */
  operator: OperatorProcess;
}

/** Time in which an idle operator comes to rest. */
const REST_MS = 3_000;
const SAMPLE_MS = 100;

/** Memory of an operator with nothing, with all engines, and started anew with them. */
export interface Population {
  readonly engines: number;
  readonly emptyMb: number;
  readonly filledMb: number;
  readonly restartedMb: number;
  readonly restartedPeakMb: number;
  /** From the start of the process until every engine has been looked at. */
  readonly restartMs: number;
}

/** Fills the cluster with engines that have run. */
export async function populate(bench: Bench, engines: number): Promise<Population> {
  const { cluster, home, times } = bench;
  await createEngines(cluster.client, ['model'], 0);
  await times.all(['model'], 'completed');
  await delay(REST_MS);
  const emptyMb = bench.operator.residentMb;
  await copyEngine(cluster.client, 'model', names('rest', engines));
  await bench.operator.metricsWhen((metrics) => engineCount(metrics, 'completed') > engines);
  await delay(REST_MS);
  const filledMb = bench.operator.residentMb;
  await bench.operator.end('SIGTERM');
  const startedAt = performance.now();
  bench.operator = await home.start('alone');
  await bench.operator.metricsWhen((metrics) => passesOf(metrics) > engines);
  const restartMs = performance.now() - startedAt;
  await delay(REST_MS);
  const restartedMb = bench.operator.residentMb;
  const restartedPeakMb = await bench.operator.peakMb();
  return { engines, emptyMb, filledMb, restartedMb, restartedPeakMb, restartMs };
}

/** One change of every engine, and what it cost the operator to look at them. */
export interface Touch {
  readonly seconds: number;
  readonly passes: number;
  readonly cpuSeconds: number;
  readonly residentMb: number;
  readonly heapMb: number;
}

/** Changes an annotation of all resting engines, round by round: each change is an item of the watch and a pass. */
export async function touch(bench: Bench, engines: number, rounds: number): Promise<readonly Touch[]> {
  const { cluster, operator } = bench;
  const touches: Touch[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = passesOf(await operator.metrics());
    const cpu = operator.cpuSeconds;
    const startedAt = performance.now();
    const patch = { metadata: { annotations: { touched: String(round) } } };
    await forAll(names('rest', engines), (name) =>
      cluster.client.patch(CHAOS_ENGINES, name, 'merge', patch, { namespace: NAMESPACE }),
    );
    const metrics = await operator.metricsWhen((seen) => passesOf(seen) >= before + engines);
    const seconds = (performance.now() - startedAt) / 1000;
    touches.push({
      seconds,
      passes: passesOf(metrics) - before,
      cpuSeconds: operator.cpuSeconds - cpu,
      residentMb: operator.residentMb,
      heapMb: (metrics.get('nodejs_heap_size_used_bytes') ?? 0) / 2 ** 20,
    });
  }
  return touches;
}

/** Many engines at once, from their creation to their end. */
export interface Runs {
  readonly engines: number;
  readonly seconds: number;
  readonly toInitialized: Summary;
  readonly toCompleted: Summary;
  readonly passes: number;
  readonly operatorCpuSeconds: number;
  readonly restMb: number;
  /** The highest of samples while they ran. */
  readonly highestMb: number;
  readonly operatorCalls: Readonly<Record<string, number>>;
  readonly runnerCalls: Readonly<Record<string, number>>;
  /** Operator and runner together, per engine. */
  readonly callsPerEngine: number;
  /** The most that one runner asked. */
  readonly mostOfOneRunner: number;
}

/** Applies engines at once and waits until all have completed. */
export async function runAtOnce(bench: Bench, count: number, chaosSeconds: number): Promise<Runs> {
  const { cluster, operator, times } = bench;
  cluster.runners.takeEnded();
  const before = await operator.metrics();
  const cpu = operator.cpuSeconds;
  const restMb = operator.residentMb;
  let highestMb = restMb;
  const sampling = setInterval(() => {
    highestMb = Math.max(highestMb, operator.residentMb);
  }, SAMPLE_MS);
  const engines = names(`run-${Math.trunc(performance.now())}`, count);
  const startedAt = performance.now();
  const created = await createEngines(cluster.client, engines, chaosSeconds);
  const completed = await times.all(engines, 'completed');
  const initialized = await times.all(engines, 'initialized');
  const seconds = (performance.now() - startedAt) / 1000;
  const after = await settled(operator);
  clearInterval(sampling);
  const ofOperator = callsSince(callsOf(before), callsOf(after));
  const ofRunners = cluster.runners.takeEnded();
  const runnerCalls = sumOfCalls(ofRunners);
  const since = (ends: readonly number[]): Summary =>
    summarize(ends.map((end, index) => end - (created[index] ?? Number.NaN)));
  return {
    engines: count,
    seconds,
    toInitialized: since(initialized),
    toCompleted: since(completed),
    passes: passesOf(after) - passesOf(before),
    operatorCpuSeconds: operator.cpuSeconds - cpu,
    restMb,
    highestMb,
    operatorCalls: perEngine(ofOperator, count),
    runnerCalls: perEngine(runnerCalls, count),
    callsPerEngine: (totalOf(ofOperator) + totalOf(runnerCalls)) / count,
    mostOfOneRunner: Math.max(...ofRunners.map(totalOf)),
  };
}

/** Metrics once no request has been made for a while: Events are written after the work that they report. */
async function settled(operator: OperatorProcess): Promise<ReadonlyMap<string, number>> {
  for (let last = await operator.metrics(); ; ) {
    await delay(REST_MS);
    const now = await operator.metrics();
    if (totalOf(callsOf(now)) === totalOf(callsOf(last))) return now;
    last = now;
  }
}

function perEngine(calls: Calls, engines: number): Record<string, number> {
  const sorted = [...calls].sort(([, a], [, b]) => b - a);
  return Object.fromEntries(sorted.map(([key, count]) => [key, count / engines]));
}

/** Milliseconds from the request to stop until the engine says `stopped`. */
export interface Aborts {
  readonly engines: number;
  readonly oneByOne: Summary;
  readonly allAtOnce: Summary;
}

/** Stops running engines: first one by one while others still run, then as many together. */
export async function abort(bench: Bench, count: number): Promise<Aborts> {
  const { cluster, times } = bench;
  const stop = async (name: string): Promise<number> => {
    const at = performance.now();
    const patch = { spec: { engineState: 'stop' } };
    await cluster.client.patch(CHAOS_ENGINES, name, 'merge', patch, { namespace: NAMESPACE });
    return at;
  };
  const start = async (prefix: string): Promise<readonly string[]> => {
    const engines = names(prefix, count);
    await createEngines(cluster.client, engines, 3600);
    await times.all(engines, 'running');
    await settled(bench.operator);
    return engines;
  };
  const single: number[] = [];
  for (const name of await start('single')) {
    const at = await stop(name);
    const [end = Number.NaN] = await times.all([name], 'stopped');
    single.push(end - at);
  }
  const together = await start('together');
  const at = await Promise.all(together.map(stop));
  const ends = await times.all(together, 'stopped');
  const all = ends.map((end, index) => end - (at[index] ?? Number.NaN));
  return { engines: count, oneByOne: summarize(single), allAtOnce: summarize(all) };
}

/** Milliseconds from the signal to the leader. */
export interface HandOver {
  /** Until its successor holds the lease. */
  readonly leadsMs: number;
  /** Until that has begun a run: whichever was next. */
  readonly worksMs: number;
  /** Until it has begun the run of an engine that was created with the signal, and stands behind all that wait. */
  readonly newestMs: number;
}

/** The leader ends in three ways. */
export interface HandOvers {
  readonly graceful: HandOver;
  /** SIGTERM while many engines begin. */
  readonly gracefulUnderLoad: HandOver;
  readonly killed: HandOver;
}

/** Ends the leader beside a standby: with SIGTERM, with SIGTERM in the middle of work, with SIGKILL. */
export async function handOver(bench: Bench, load: number): Promise<HandOvers> {
  await bench.operator.end('SIGTERM');
  bench.operator = await bench.home.start('candidate');
  await bench.operator.metricsWhen((metrics) => engineCount(metrics) > 0);
  const graceful = await replaceLeader(bench, 'SIGTERM', 'graceful');
  const busy = names('busy', load);
  const created = createEngines(bench.cluster.client, busy, 1);
  await bench.times.all(busy.slice(0, Math.ceil(load / 4)), 'initialized');
  const gracefulUnderLoad = await replaceLeader(bench, 'SIGTERM', 'loaded');
  await created;
  await bench.times.all(busy, 'completed');
  const killed = await replaceLeader(bench, 'SIGKILL', 'killed');
  return { graceful, gracefulUnderLoad, killed };
}

async function replaceLeader(bench: Bench, signal: 'SIGTERM' | 'SIGKILL', engine: string): Promise<HandOver> {
  const { cluster, home, times } = bench;
  const standby = await home.start('candidate');
  await standby.metricsWhen((metrics) =>
    [...metrics.keys()].some((name) => name.includes('verb="watch",resource="leases"')),
  );
  const taken = leaseTaken(
    cluster.client,
    await cluster.client.get<Lease>(LEASES, OPERATOR_LEASE, { namespace: HOME }),
  );
  const leader = bench.operator;
  bench.operator = standby;
  const at = performance.now();
  const gone = leader.end(signal);
  await createEngines(cluster.client, [engine], 0);
  const leadsAt = await taken;
  const [newestAt = Number.NaN] = await times.all([engine], 'initialized');
  await gone;
  return {
    leadsMs: leadsAt - at,
    worksMs: times.firstAfter(leadsAt, 'initialized') - at,
    newestMs: newestAt - at,
  };
}

/** Resolves to the time at which another holds the lease. */
async function leaseTaken(client: KubeClient, { metadata, spec }: Lease): Promise<number> {
  const from = { namespace: HOME, resourceVersion: metadata.resourceVersion };
  for await (const event of client.watch<Lease>(LEASES, from)) {
    if (event.type !== 'MODIFIED' || event.object.metadata.name !== OPERATOR_LEASE) continue;
    const holder = event.object.spec?.holderIdentity;
    if (holder && holder !== spec?.holderIdentity) return performance.now();
  }
  throw new Error(`the watch of lease ${HOME}/${OPERATOR_LEASE} ended before anybody took it`);
}
