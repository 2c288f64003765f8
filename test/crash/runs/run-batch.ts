import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { CHAOS_ENGINES, type ChaosEngine } from '../../../src/api/index.ts';
import { applicationName, NODE_COUNT } from './application.ts';
import { auditBatch } from './audit.ts';
import { insist, strike } from './blows.ts';
import type { Effect } from './effect.ts';
import { Onlooker } from './effects.ts';
import { MARK } from './faults.ts';
import { isMeasured, isOver } from './judge.ts';
import { MARGIN_MS, type Residue, ResidueMeter } from './meter.ts';
import { chaosProcesses, recentProcesses } from './processes.ts';
import { type Blow, type Draw, isOfProcess, type Scenario, scenarioOf } from './scenario.ts';
import type { World } from './world.ts';

/** What a batch went through. */
export interface BatchFigures {
  /** Blows that hit something, by kind. */
  readonly hits: Readonly<Record<string, number>>;
  readonly recoveries: number;
  readonly residues: readonly Residue[];
  /** Runs by fault. */
  readonly faults: Readonly<Record<string, number>>;
}

/** An engine of a batch. */
export interface BatchEngine {
  readonly name: string;
  /** Which of the world's applications it hits. */
  readonly place: number;
  /** No others are beside it: what belongs to nobody in particular is its own. */
  readonly isAlone: boolean;
  readonly scenario: Scenario;
  /** The kinds of blows that found something to hit. */
  readonly hit: Set<Blow['what']>;
  /** What happened to those who serve all engines. */
  readonly shaken: Set<Blow['what']>;
}

const NAMESPACE = 'default';

/**
 * Runs the scenarios of these seeds at the same time in one cluster, and audits what they leave.
 *
 * @throws Error that lists every finding
 */
export async function runBatch(world: World, seeds: readonly number[], draw: Draw): Promise<BatchFigures> {
  const engines = seeds.map((seed, place) => ({
    name: `${world.id}-${seed}`,
    place,
    isAlone: seeds.length === 1,
    scenario: scenarioOf(seed, draw),
    hit: new Set<Blow['what']>(),
    shaken: new Set<Blow['what']>(),
  }));
  // What falls for all at once falls by one after the other.
  let inTurn = Promise.resolve();
  const alone = (work: () => Promise<void>): Promise<void> => {
    inTurn = inTurn.then(work);
    return inTurn;
  };
  const onlooker = new Onlooker(
    world,
    engines.map(({ place, scenario }) => ({
      application: applicationName(place),
      fault: scenario.fault,
    })),
  );
  const meter = new ResidueMeter(onlooker);
  for (const engine of engines) {
    meter.add(engine.name, applicationName(engine.place), (effect) => isOf(engine, effect));
  }
  let residues: readonly Residue[] = [];
  try {
    const battle = { world, engines, meter, alone };
    await Promise.all(
      engines.map((engine) => play(world, engine, onlooker, (blow) => strike(battle, engine, blow))),
    );
    const { timelines, ...figures } = await auditBatch(world, engines, onlooker);
    residues = await meter.stop();
    const late = residues.flatMap((residue) => tooLate(residue, engines));
    if (late.length > 0) throw new Error([...late, ...timelines].join('\n'));
    return { ...figures, residues };
  } finally {
    await meter.stop();
  }
}

/** What the crash contract says of a measured residue. On a busy machine looks take seconds: only what was surely seen is held against anybody. */
function tooLate({ engine, after, ms, seenMs, effects }: Residue, engines: readonly BatchEngine[]): string[] {
  const found = engines.find(({ name }) => name === engine);
  if (found === undefined || !isMeasured(found)) return [];
  const boundMs = found.scenario.leaseSeconds * 1000 + MARGIN_MS;
  if (seenMs <= boundMs) return [];
  const { seed, fault } = found.scenario;
  return [
    `seed ${seed}, ${fault.name}: in force for ${(seenMs / 1000).toFixed(1)} s, and at most ${(ms / 1000).toFixed(1)} s, after ${after} (bound ${boundMs / 1000} s): ${effects.join(', ')}`,
  ];
}

/** Whether an effect is this engine's; taints, policies and replicas are told by the application's name. */
function isOf({ name, place, isAlone }: BatchEngine, { of }: Effect): boolean {
  return of === name || of === applicationName(place) || (of === undefined && isAlone);
}

async function play(
  world: World,
  engine: BatchEngine,
  onlooker: Onlooker,
  hit: (blow: Blow) => Promise<void>,
): Promise<void> {
  await insist(() =>
    world.client.create<ChaosEngine>(CHAOS_ENGINES, engineOf(world, engine), { namespace: NAMESPACE }),
  );
  await Promise.all(
    engine.scenario.blows.map(async (blow) => {
      if (blow.inForce && !(await isInForce(world, engine, onlooker))) return;
      if (isOfProcess(blow.what) && !(await appears(world, engine, blow.what))) return;
      // The moment is the point of the scenario.
      await delay(blow.afterMs);
      await hit(blow);
    }),
  );
}

/** Longest time to wait for a process to be killed: an engine that is over never has it. */
const APPEAR_LIMIT_MS = 120_000;

async function isInForce(world: World, { name }: BatchEngine, onlooker: Onlooker): Promise<boolean> {
  return await until(world, name, async () => (await onlooker.inForce()).has(name));
}

/** Whether a mark of an engine comes to be there. */
export async function isMarked(world: World, { name }: Pick<BatchEngine, 'name'>): Promise<boolean> {
  return await until(world, name, async () => {
    const files = await readdir(world.markFolder);
    const maps = await world.client.list(CONFIG_MAPS, { namespace: NAMESPACE }).catch(() => ({ items: [] }));
    const names = [...files, ...maps.items.map(({ metadata }) => metadata.name)];
    return names.some((one) => one.startsWith(`${MARK}${name}.`));
  });
}

async function appears(world: World, { name }: BatchEngine, what: Blow['what']): Promise<boolean> {
  return await until(world, name, () =>
    Promise.resolve(
      chaosProcesses(world.id, recentProcesses()).some(
        ({ kind, engine }) => engine === name && what === `kill ${kind}`,
      ),
    ),
  );
}

/** Looks until there is something to see, or the engine is over; processes and files of others tell nobody. */
async function until(world: World, name: string, look: () => Promise<boolean>): Promise<boolean> {
  for (const startedAt = performance.now(); performance.now() - startedAt < APPEAR_LIMIT_MS; ) {
    if (await look()) return true;
    if (await nothingMoreComes(world, name)) return false;
    await delay(100);
  }
  return false;
}

async function nothingMoreComes({ client }: World, name: string): Promise<boolean> {
  try {
    const engine = await client.find<ChaosEngine>(CHAOS_ENGINES, name, { namespace: NAMESPACE });
    return engine === undefined || isOver(engine);
  } catch {
    return false;
  }
}

/** What an engine is made of. */
export interface EnginePlan {
  readonly name: string;
  /** @default 0 */
  readonly place?: number;
  readonly scenario: Pick<Scenario, 'fault' | 'durationSeconds' | 'policy'> & {
    readonly leaseSeconds?: number;
  };
}

/** The engine of a scenario. */
export function engineOf(world: World, { name, place = 0, scenario }: EnginePlan): ChaosEngine {
  const { fault, durationSeconds, policy, leaseSeconds = 3 } = scenario;
  const app = applicationName(place);
  const fill = (text: string): string => text.replaceAll('{app}', app).replaceAll('{node}', nodeName(place));
  const env = {
    TOTAL_CHAOS_DURATION: String(durationSeconds),
    MARK_FOLDER: world.markFolder,
    PODS_AFFECTED_PERC: '100',
    LEASE_SECONDS: String(leaseSeconds),
    ...fault.env,
  };
  const { kind, label } = fault.target ?? ({ kind: 'deployment', label: 'app={app}' } as const);
  const nodeSelector: Record<string, string> =
    fault.elsewhere === true ? { 'kubernetes.io/hostname': nodeName(place + 1) } : {};
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      engineState: 'active',
      chaosServiceAccount: 'chaos-sa',
      jobCleanUpPolicy: policy,
      appinfo: { appns: NAMESPACE, applabel: fill(label), appkind: kind },
      components: { runner: { nodeSelector } },
      experiments: [
        {
          name: fault.name,
          spec: {
            components: {
              nodeSelector,
              env: Object.entries(env).map(([key, value]) => ({ name: key, value: fill(value) })),
            },
          },
        },
      ],
    },
  };
}

/** One of the nodes; for each place another one, as long as there are any. */
function nodeName(place: number): string {
  return `turnsole-${(place % NODE_COUNT) + 1}`;
}
