import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  CONFIG_MAPS,
  isOpen,
  JOBS,
  LABEL_CHAOS_UID,
  LABEL_RECOVERY,
  PODS,
  type Pod,
} from '../../../src/api/index.ts';
import { MARK } from './faults.ts';
import { chaosProcesses } from './processes.ts';
import type { BatchEngine, BatchFigures } from './run-batch.ts';
import type { World } from './world.ts';

/** All that is looked at. */
interface Sight {
  readonly engines: readonly ChaosEngine[];
  readonly results: readonly ChaosResult[];
  readonly pods: readonly Pod[];
  readonly jobs: readonly { metadata: { name: string; labels?: Record<string, string> } }[];
  readonly marks: readonly string[];
  readonly processes: readonly string[];
}

/** Longest time from the last blow until nothing is left; a recovery that is given up takes 75 s. */
const LIMIT_MS = 120_000;

/**
 * Waits until nothing of the engines is left, and judges their verdicts.
 *
 * @throws Error that lists every finding
 */
export async function auditBatch(world: World, batch: readonly BatchEngine[]): Promise<BatchFigures> {
  const startedAt = performance.now();
  for (;;) {
    const sight = await look(world).catch(() => undefined);
    const findings = sight === undefined ? ['the cluster cannot be read'] : residue(batch, sight);
    if (sight !== undefined && findings.length === 0) {
      const wrong = batch.flatMap((engine) => judge(engine, sight));
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
      if (process.env.CRASH_SHOW !== undefined) console.log(describe(batch, sight));
      await forget(world, sight);
      return { hits: count(batch), recoveries: recoveries(sight) };
    }
    if (performance.now() - startedAt > LIMIT_MS) {
      throw new Error(`left after ${LIMIT_MS / 1000} s:\n${findings.join('\n')}\n${describe(batch, sight)}`);
    }
    await delay(100);
  }
}

async function look(world: World): Promise<Sight> {
  const { client } = world;
  const place = { namespace: 'default' };
  const chaos = { ...place, labelSelector: LABEL_CHAOS_UID };
  const [engines, results, pods, jobs, maps] = await Promise.all([
    client.list<ChaosEngine>(CHAOS_ENGINES, place),
    client.list<ChaosResult>(CHAOS_RESULTS, place),
    client.list<Pod>(PODS, chaos),
    client.list(JOBS, chaos),
    client.list(CONFIG_MAPS, place),
  ]);
  const files = await readdir(world.markFolder).catch(() => []);
  const journals = await readdir(`${world.folder}/journal`).catch(() => []);
  return {
    engines: engines.items,
    results: results.items,
    pods: pods.items,
    jobs: jobs.items,
    marks: [
      ...maps.items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(MARK)),
      ...files,
      ...journals,
    ],
    processes: chaosProcesses(world.id).map(({ kind, engine, pid }) => `${kind} ${pid} of ${engine}`),
  };
}

/** What is still there and must go. */
function residue(batch: readonly BatchEngine[], sight: Sight): string[] {
  const found = [
    ...sight.marks.map((mark) => `mark ${mark}`),
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
    const neverBegan = word === '' && spec.engineState === 'stop';
    if (!neverBegan && (spec.engineState !== 'stop' || !['completed', 'stopped'].includes(word))) {
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

/** What is wrong with the verdicts of an engine. */
function judge({ name, scenario, hit }: BatchEngine, { engines, results }: Sight): string[] {
  const wrong: string[] = [];
  const say = (text: string): void => void wrong.push(`seed ${scenario.seed}, engine ${name}: ${text}`);
  const engine = engines.find(({ metadata }) => metadata.name === name);
  const own = results.filter(({ spec }) => spec?.engine === name);
  if (own.length > 1) say(`${own.length} results`);
  const [result] = own;
  const verdict = result?.status?.experimentStatus?.verdict;
  const { passedRuns = 0, failedRuns = 0, stoppedRuns = 0 } = result?.status?.history ?? {};
  if (passedRuns + failedRuns + stoppedRuns > 1) say('counted more than once');
  if (verdict === 'Awaited') say('the result has no verdict');
  if (engine?.status?.engineStatus === 'completed' || engine?.status?.engineStatus === 'stopped') {
    const [entry, ...more] = engine.status.experiments ?? [];
    const began = (engine.status.runnerAttempts ?? 0) > 0;
    if (more.length > 0) say('doubled entries');
    if (engine.status.engineStatus === 'completed') {
      if (entry === undefined) say('completed without an entry');
      else if (verdict !== undefined && entry.verdict !== verdict && entry.verdict !== 'Error') {
        say(`the engine says ${entry.verdict}, the result ${verdict}`);
      }
      if (entry?.verdict === 'Awaited' || entry?.verdict === 'N/A') say(`verdict ${entry.verdict}`);
    } else if (!began && entry !== undefined) say('an entry of a run that never began');
    if (verdict === 'Pass' && entry !== undefined && entry.verdict !== 'Pass') {
      say(`the engine says ${entry.verdict} though the result says Pass`);
    }
    const harmless = ![
      'kill experiment',
      'kill helper',
      'kill cluster',
      'stop engine',
      'delete engine',
      'drop connections',
    ].some((what) => [...hit].some((one) => one === what));
    if (harmless && entry?.verdict !== 'Pass')
      say(`nothing touched the experiment, and it says ${entry?.verdict} (${entry?.reason})`);
  }
  return wrong;
}

function count(batch: readonly BatchEngine[]): Record<string, number> {
  const hits: Record<string, number> = {};
  for (const { hit } of batch) for (const what of hit) hits[what] = (hits[what] ?? 0) + 1;
  return hits;
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
      return `  ${name}: ${JSON.stringify(scenario)} hit ${[...hit].join(', ')}\n${[...lines, ...more].sort().join('\n')}`;
    })
    .join('\n');
}
