import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient, NewObject } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { WORKFLOWS } from '@turnsole/workflows/kinds/resources';
import type { Workflow } from '@turnsole/workflows/kinds/workflow';
import { forAll } from '../operator/engines.ts';
import { type Summary, summarize } from '../report.ts';
import { type BenchCluster, NAMESPACE } from './cluster.ts';
import type { ControllerProcess } from './controller-process.ts';
import { chain, dag, fanOut, held, oneStep } from './manifests.ts';
import { requestsOf } from './proxy.ts';
import type { Times } from './times.ts';

/** Time in which a controller that has nothing to do any more gives memory back. */
const SETTLE_MS = 5_000;
const PARTS = 10;
const REMOVAL_LIMIT_MS = 600_000;

/** What the phases work with. */
export interface Bench {
  readonly cluster: BenchCluster;
  readonly controller: ControllerProcess;
  readonly times: Times;
}

/** What workflows at once cost. */
export interface ManyOutcome {
  readonly workflows: number;
  readonly seconds: number;
  readonly perMinute: number;
  /** Milliseconds from creation to the end. */
  readonly took: Summary;
  readonly requestsEach: number;
  readonly requests: Readonly<Record<string, number>>;
  readonly sentBytesEach: number;
  readonly cpuMsEach: number;
}

/** Tells the workflows of two rounds of the same size apart: the warm-up may have that of a measurement. */
let round = 0;

/** Workflows of one step, created at once. */
export async function many(bench: Bench, count: number): Promise<ManyOutcome> {
  round += 1;
  const names = Array.from({ length: count }, (_, index) => `one-${round}-${index}`);
  const { cluster, controller, times } = bench;
  cluster.proxy.take();
  const cpu = controller.cpuSeconds;
  const startedAt = performance.now();
  const createdAt = await createAll(cluster.client, names.map(oneStep));
  const ends = await times.finished(names);
  const seconds = (Math.max(...ends) - startedAt) / 1000;
  const traffic = cluster.proxy.take();
  const outcome = {
    workflows: count,
    seconds,
    perMinute: (60 * count) / seconds,
    took: summarize(ends.map((end, index) => end - (createdAt[index] ?? 0))),
    requestsEach: requestsOf(traffic) / count,
    requests: Object.fromEntries(traffic.requests),
    sentBytesEach: traffic.sentBytes / count,
    cpuMsEach: ((controller.cpuSeconds - cpu) * 1000) / count,
  };
  await remove(bench, names);
  return outcome;
}

/** What the nodes of one workflow cost. */
export interface NodesOutcome {
  readonly nodes: number;
  readonly seconds: number;
  readonly requestsPerNode: number;
  readonly sentBytesPerNode: number;
  readonly cpuMsPerNode: number;
  /** Processor milliseconds per node while the first, second, … tenth of the nodes ended. */
  readonly cpuMsByTenth: readonly number[];
  readonly residentMb: number;
  /** Milliseconds from the end of a pod to the next pod; only where one follows the other. */
  readonly stepToNext?: Summary;
}

export const chainOf = (bench: Bench, count: number): Promise<NodesOutcome> =>
  nodesOf(bench, chain(`chain-${count}`, count), count, true);

export const fanOutOf = (bench: Bench, count: number): Promise<NodesOutcome> =>
  nodesOf(bench, fanOut(`fan-out-${count}`, count), count);

export const dagOf = (bench: Bench, count: number): Promise<NodesOutcome> =>
  nodesOf(bench, dag(`dag-${count}`, count), count);

async function nodesOf(
  bench: Bench,
  workflow: NewObject<Workflow>,
  nodes: number,
  isChain = false,
): Promise<NodesOutcome> {
  const { cluster, controller, times } = bench;
  const { name } = workflow.metadata as { name: string };
  cluster.proxy.take();
  const cpu = controller.cpuSeconds;
  const startedAt = performance.now();
  const endedBefore = times.ended;
  await cluster.client.create(WORKFLOWS, workflow, { namespace: NAMESPACE });
  const tenths = [cpu];
  for (let part = 1; part <= PARTS; part += 1) {
    await times.until(`${name}, tenth ${part}`, () => times.ended - endedBefore >= (nodes * part) / PARTS);
    tenths.push(controller.cpuSeconds);
  }
  const [end = Number.NaN] = await times.finished([name]);
  const traffic = cluster.proxy.take();
  const outcome = {
    nodes,
    seconds: (end - startedAt) / 1000,
    requestsPerNode: requestsOf(traffic) / nodes,
    sentBytesPerNode: traffic.sentBytes / nodes,
    cpuMsPerNode: ((controller.cpuSeconds - cpu) * 1000) / nodes,
    cpuMsByTenth: tenths
      .slice(1)
      .map((used, index) => ((used - (tenths[index] ?? 0)) * 1000 * PARTS) / nodes),
    residentMb: controller.residentMb,
    ...(isChain && { stepToNext: summarize(gaps(times, name)) }),
  };
  await remove(bench, [name]);
  return outcome;
}

/** From the end of each pod of a chain to the pod after it. */
function gaps(times: Times, name: string): number[] {
  const pods = [...times.pods.values()].filter(({ workflow }) => workflow === name);
  pods.sort((a, b) => a.created - b.created);
  return pods.slice(1).map(({ created }, index) => created - (pods[index]?.ended ?? Number.NaN));
}

/** Memory with workflows that run and do nothing. */
export interface HeldOutcome {
  readonly workflows: number;
  readonly residentMb: number;
  readonly peakMb: number;
}

export async function holding(bench: Bench, count: number): Promise<HeldOutcome> {
  const { cluster, controller, times } = bench;
  const names = Array.from({ length: count }, (_, index) => `held-${index}`);
  await createAll(cluster.client, names.map(held));
  await times.allRunning(names);
  await delay(SETTLE_MS);
  const outcome = {
    workflows: count,
    residentMb: controller.residentMb,
    peakMb: await controller.peakMb(),
  };
  await remove(bench, names);
  return outcome;
}

async function createAll(client: KubeClient, workflows: readonly NewObject<Workflow>[]): Promise<number[]> {
  const at: number[] = [];
  await forAll(workflows, async (workflow, index) => {
    at[index] = performance.now();
    await client.create(WORKFLOWS, workflow, { namespace: NAMESPACE });
  });
  return at;
}

/** Deletes workflows, and waits until their pods are gone: the next phase shall not pay for it. */
async function remove({ cluster: { client } }: Bench, names: readonly string[]): Promise<void> {
  await forAll(names, (name) => client.delete(WORKFLOWS, name, { namespace: NAMESPACE }));
  const options = { namespace: NAMESPACE, timeoutMs: REMOVAL_LIMIT_MS };
  await waitForList<Pod>(client, PODS, (pods) => pods.length === 0, options);
}
