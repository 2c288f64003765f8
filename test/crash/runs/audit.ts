import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment, Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, JOBS, PODS, STATEFUL_SETS } from '@turnsole/kube/kinds/resources';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  isOpen,
  LABEL_CHAOS_UID,
  LABEL_RECOVERY,
} from '../../../src/api/index.ts';
import { JOURNAL_FOLDER, readJournals } from '../../../src/experiment/helper/journal.ts';
import type { Onlooker } from './effects.ts';
import { isOver, judge } from './judge.ts';
import { chaosProcesses } from './processes.ts';
import type { BatchEngine, BatchFigures } from './run-batch.ts';
import type { World } from './world.ts';

/** All that is looked at. */
interface Sight {
  readonly engines: readonly ChaosEngine[];
  readonly results: readonly ChaosResult[];
  readonly pods: readonly Pod[];
  readonly jobs: readonly { metadata: { name: string; labels?: Record<string, string> } }[];
  /** What is in force, or left of it. */
  readonly effects: readonly string[];
  readonly journals: readonly string[];
  /** Applications that are not as before. */
  readonly unready: readonly string[];
  readonly processes: readonly string[];
}

/** Longest time from the last blow until nothing is left; a recovery that is given up takes 75 s. */
const LIMIT_MS = 120_000;
/** Between two looks. */
const LOOK_EVERY_MS = 300;

/**
 * Waits until nothing of the engines is left, and judges their verdicts.
 *
 * @throws Error that lists every finding
 */
export async function auditBatch(
  world: World,
  batch: readonly BatchEngine[],
  onlooker: Onlooker,
): Promise<Omit<BatchFigures, 'residues'> & { readonly timelines: readonly string[] }> {
  const startedAt = performance.now();
  for (;;) {
    const sight = await look(world, onlooker).catch(() => undefined);
    const findings = sight === undefined ? ['the cluster cannot be read'] : residue(batch, sight);
    if (sight !== undefined && findings.length === 0) {
      const wrong = batch.flatMap((engine) => judge(engine, sight.engines, sight.results));
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
      if (process.env.CRASH_SHOW !== undefined) console.log(describe(batch, sight));
      await forget(world, sight);
      const faults = batch.map(({ scenario }) => scenario.fault.name);
      return {
        hits: count(batch.flatMap(({ hit, shaken }) => [...hit, ...shaken])),
        recoveries: recoveries(sight),
        faults: count(faults),
        timelines: [describe(batch, sight)],
      };
    }
    if (performance.now() - startedAt > LIMIT_MS) {
      throw new Error(`left after ${LIMIT_MS / 1000} s:\n${findings.join('\n')}\n${describe(batch, sight)}`);
    }
    await delay(LOOK_EVERY_MS);
  }
}

async function look(world: World, onlooker: Onlooker): Promise<Sight> {
  const { client } = world;
  const place = { namespace: 'default' };
  const chaos = { ...place, labelSelector: LABEL_CHAOS_UID };
  const [engines, results, pods, jobs, workloads, seen, journals] = await Promise.all([
    client.list<ChaosEngine>(CHAOS_ENGINES, place),
    client.list<ChaosResult>(CHAOS_RESULTS, place),
    client.list<Pod>(PODS, chaos),
    client.list(JOBS, chaos),
    Promise.all([DEPLOYMENTS, STATEFUL_SETS].map((kind) => client.list<Deployment>(kind, place))),
    onlooker.look(undefined, true),
    readJournals(JOURNAL_FOLDER),
  ]);
  if (!seen.isComplete) throw new Error('the API server did not answer');
  return {
    engines: engines.items,
    results: results.items,
    pods: pods.items,
    jobs: jobs.items,
    effects: seen.effects.map(({ what }) => what),
    journals: journals
      .filter(({ record }) => record.result.startsWith(world.id))
      .map(({ record, path }) => `${path} with ${record.entries.length} entries of ${record.pod}`),
    unready: workloads
      .flatMap(({ items }) => items)
      .filter(({ spec, status }) => (status?.readyReplicas ?? 0) !== spec?.replicas)
      .map(({ metadata, status }) => `${metadata.name} with ${status?.readyReplicas ?? 0} ready pods`),
    processes: chaosProcesses(world.id).map(({ kind, engine, pid }) => `${kind} ${pid} of ${engine}`),
  };
}

/** What is still there and must go. */
function residue(batch: readonly BatchEngine[], sight: Sight): string[] {
  const found = [
    ...sight.effects,
    ...sight.journals.map((journal) => `journal ${journal}`),
    ...sight.unready.map((application) => `application ${application}`),
    ...sight.processes.map((process) => `process ${process}`),
  ];
  for (const { status, metadata } of sight.results) {
    const open = Object.values(status?.ledger ?? {}).filter(isOpen);
    if (open.length > 0) found.push(`${open.length} open ledger entries of ${metadata.name}`);
    if (status?.experimentStatus?.phase === 'Running') found.push(`result ${metadata.name} is Running`);
  }
  for (const { name, hit } of batch) {
    const engine = sight.engines.find(({ metadata }) => metadata.name === name);
    if (engine === undefined) {
      if (!hit.has('delete engine')) found.push(`engine ${name} is gone, and nobody deleted it`);
      continue;
    }
    const { status, spec, metadata } = engine;
    const word = status?.engineStatus ?? '';
    if (hit.has('delete engine')) found.push(`engine ${name} should be gone and is ${word}`);
    if (spec.engineState !== 'stop' || !isOver(engine)) {
      found.push(`engine ${name} is ${spec.engineState}, ${word}`);
    }
    if (word === 'stopped' && (metadata.finalizers ?? []).length > 0) found.push(`finalizer of ${name}`);
  }
  const kept = new Set(
    sight.engines
      .filter(({ status }) => status?.engineStatus === 'completed')
      .map(({ metadata }) => metadata.uid ?? ''),
  );
  for (const { metadata, status } of sight.pods) {
    const hasEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed';
    if (!hasEnded || !kept.has(metadata.labels?.[LABEL_CHAOS_UID] ?? '')) {
      found.push(`pod ${metadata.name} (${status?.phase})`);
    }
  }
  for (const { metadata } of sight.jobs) {
    const isKept = kept.has(metadata.labels?.[LABEL_CHAOS_UID] ?? '');
    if (!isKept || metadata.labels?.[LABEL_RECOVERY] !== undefined) found.push(`Job ${metadata.name}`);
  }
  return found;
}

function count(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function recoveries({ results, engines }: Sight): number {
  const lines = [...results, ...engines].flatMap(({ status }) => status?.timeline ?? []);
  return lines.filter(({ step }) => step === 'RecoveryStarted').length;
}

/** Nothing of this batch is in the way of the next one. */
async function forget({ client }: World, { engines, results }: Sight): Promise<void> {
  const place = { namespace: 'default' };
  for (const { metadata } of engines) await client.delete(CHAOS_ENGINES, metadata.name, place);
  for (const { metadata } of results) await client.delete(CHAOS_RESULTS, metadata.name, place);
}

function describe(batch: readonly BatchEngine[], sight: Sight | undefined): string {
  return batch
    .map(({ name, scenario, hit }) => {
      const engine = sight?.engines.find(({ metadata }) => metadata.name === name);
      const lines = (engine?.status?.timeline ?? []).map(
        ({ time, actor, step, message }) => `    ${time} ${actor} ${step} ${message}`,
      );
      const result = sight?.results.find(({ spec }) => spec?.engine === name);
      const more = (result?.status?.timeline ?? []).map(
        ({ time, actor, step, message }) => `    ${time} ${actor} ${step} ${message}`,
      );
      const state = `${engine?.status?.engineStatus} ${JSON.stringify(engine?.status?.experiments ?? [])}`;
      return `  ${name}: ${JSON.stringify(scenario)} hit ${[...hit].join(', ')}: ${state}\n${[...lines, ...more].sort().join('\n')}`;
    })
    .join('\n');
}
