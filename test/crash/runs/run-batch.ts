import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { CHAOS_ENGINES, type ChaosEngine, CONFIG_MAPS } from '../../../src/api/index.ts';
import { isNotFound } from '../../../src/kube/client/errors.ts';
import { auditBatch } from './audit.ts';
import { MARK } from './faults.ts';
import { chaosProcesses } from './processes.ts';
import { type Blow, isOfProcess, type Scenario, scenarioOf } from './scenario.ts';
import type { World } from './world.ts';

/** What a batch went through. */
export interface BatchFigures {
  /** Blows that hit something, by kind. */
  readonly hits: Readonly<Record<string, number>>;
  readonly recoveries: number;
}

/** An engine of a batch. */
export interface BatchEngine {
  readonly name: string;
  readonly scenario: Scenario;
  /** The kinds of blows that found something to hit. */
  readonly hit: Set<Blow['what']>;
}

const NAMESPACE = 'default';

/**
 * Runs the scenarios of these seeds at the same time in one cluster, and audits what they leave.
 *
 * @throws Error that lists every finding
 */
export async function runBatch(world: World, seeds: readonly number[]): Promise<BatchFigures> {
  const engines = seeds.map((seed) => ({
    name: `${world.id}-${seed}`,
    scenario: scenarioOf(seed),
    hit: new Set<Blow['what']>(),
  }));
  // The cluster falls for all at once, so it is done by one after the other.
  let inTurn = Promise.resolve();
  const alone = (work: () => Promise<void>): Promise<void> => {
    inTurn = inTurn.then(work);
    return inTurn;
  };
  await Promise.all(engines.map((engine) => play(world, engine, engines, alone)));
  return auditBatch(world, engines);
}

async function play(
  world: World,
  engine: BatchEngine,
  all: readonly BatchEngine[],
  alone: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await insist(() =>
    world.client.create<ChaosEngine>(CHAOS_ENGINES, engineOf(world, engine), { namespace: NAMESPACE }),
  );
  await Promise.all(
    engine.scenario.blows.map(async ({ afterMs, what, inForce }) => {
      if (inForce && !(await isMarked(world, engine))) return;
      if (isOfProcess(what) && !(await appears(world, engine, what))) return;
      // The moment is the point of the scenario.
      await delay(afterMs);
      await strike(world, engine, what, all, alone);
    }),
  );
}

/** Longest time to wait for a process to be killed: an engine that is over never has it. */
const APPEAR_LIMIT_MS = 20_000;

/** Whether something of an engine comes to be in force. */
export async function isMarked(world: World, { name }: Pick<BatchEngine, 'name'>): Promise<boolean> {
  for (const startedAt = performance.now(); performance.now() - startedAt < APPEAR_LIMIT_MS; ) {
    const files = await readdir(world.markFolder).catch(() => []);
    const maps = await world.client.list(CONFIG_MAPS, { namespace: NAMESPACE }).catch(() => ({ items: [] }));
    const names = [...files, ...maps.items.map(({ metadata }) => metadata.name)];
    if (names.some((one) => one.startsWith(`${MARK}${name}.`))) return true;
    if (await isOver(world, name)) return false;
    await delay(50);
  }
  return false;
}

async function isOver({ client }: World, name: string): Promise<boolean> {
  try {
    const engine = await client.find<ChaosEngine>(CHAOS_ENGINES, name, { namespace: NAMESPACE });
    return engine === undefined || ['completed', 'stopped'].includes(engine.status?.engineStatus ?? '');
  } catch {
    return false;
  }
}

async function appears(world: World, { name }: BatchEngine, what: Blow['what']): Promise<boolean> {
  for (const startedAt = performance.now(); performance.now() - startedAt < APPEAR_LIMIT_MS; ) {
    const found = chaosProcesses(world.id);
    if (found.some(({ kind, engine }) => engine === name && what === `kill ${kind}`)) return true;
    if (await isOver(world, name)) return false;
    await delay(50);
  }
  return false;
}

async function strike(
  world: World,
  engine: BatchEngine,
  what: Blow['what'],
  all: readonly BatchEngine[],
  alone: (work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const place = { namespace: NAMESPACE };
  switch (what) {
    case 'kill runner':
    case 'kill experiment':
    case 'kill helper': {
      const kind = what.slice('kill '.length);
      const victims = chaosProcesses(world.id).filter(
        (one) => one.kind === kind && one.engine === engine.name,
      );
      for (const { pid } of victims) {
        engine.hit.add(what);
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
      }
      return;
    }
    case 'kill operator':
      return alone(() => world.killOperator());
    case 'kill cluster':
      for (const one of all) one.hit.add(what);
      return alone(() => world.killCluster());
    case 'drop connections':
      for (const one of all) one.hit.add(what);
      return world.dropConnections();
    case 'stop engine':
      engine.hit.add(what);
      await insist(() =>
        world.client.patch(CHAOS_ENGINES, engine.name, 'merge', { spec: { engineState: 'stop' } }, place),
      );
      return;
    case 'delete engine':
      engine.hit.add(what);
      await insist(() => world.client.delete(CHAOS_ENGINES, engine.name, place));
  }
}

/** Tries a request until the server answers; the cluster may be away for a moment. */
async function insist(request: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt++) {
    try {
      await request();
      return;
    } catch (error) {
      if (isNotFound(error) || (error instanceof Error && /already exists/.test(error.message))) return;
      if (attempt === 99) throw error;
      await delay(100);
    }
  }
}

/** The engine of a scenario. */
export function engineOf(
  world: World,
  {
    name,
    scenario,
  }: { readonly name: string; readonly scenario: Pick<Scenario, 'fault' | 'durationSeconds' | 'policy'> },
): ChaosEngine {
  const env = {
    TOTAL_CHAOS_DURATION: String(scenario.durationSeconds),
    MARK_FOLDER: world.markFolder,
    PODS_AFFECTED_PERC: '100',
    LEASE_SECONDS: '3',
    TURNSOLE_JOURNAL: `${world.folder}/journal`,
  };
  return {
    apiVersion: 'litmuschaos.io/v1alpha1',
    kind: 'ChaosEngine',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      engineState: 'active',
      chaosServiceAccount: 'chaos-sa',
      jobCleanUpPolicy: scenario.policy,
      appinfo: { appns: NAMESPACE, applabel: 'app=app', appkind: 'deployment' },
      experiments: [
        {
          name: scenario.fault,
          spec: {
            components: { env: Object.entries(env).map(([key, value]) => ({ name: key, value })) },
          },
        },
      ],
    },
  };
}
