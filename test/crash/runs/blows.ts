import { setTimeout as delay } from 'node:timers/promises';
import { AGENT_ANNOTATION } from '@turnsole/cluster/node/agent-mode';
import { isNotFound } from '@turnsole/kube/client/errors';
import { NODES } from '@turnsole/kube/kinds/resources';
import { CHAOS_ENGINES } from '../../../src/api/index.ts';
import type { ResidueMeter } from './meter.ts';
import { chaosProcesses } from './processes.ts';
import type { BatchEngine } from './run-batch.ts';
import type { Blow } from './scenario.ts';
import type { World } from './world.ts';

const PLACE = { namespace: 'default' };

/** What the blows of a batch work with. */
export interface Battle {
  readonly world: World;
  readonly engines: readonly BatchEngine[];
  readonly meter: ResidueMeter;
  /** What falls for all falls by one after the other. */
  readonly alone: (work: () => Promise<void>) => Promise<void>;
}

/** Carries a blow out. */
export async function strike(battle: Battle, engine: BatchEngine, blow: Blow): Promise<void> {
  const { world, meter, alone, engines } = battle;
  const { what } = blow;
  switch (what) {
    case 'kill runner':
    case 'kill experiment':
    case 'kill helper':
      return killProcesses(battle, engine, what);
    case 'kill operator':
      for (const one of engines) one.shaken.add(what);
      return alone(() => world.killOperator());
    case 'kill cluster':
      hitAll(battle, what);
      return alone(async () => {
        await world.killCluster();
        // Nothing can be reverted while there is no API server, and its pods are gone.
        for (const { name } of engines) meter.killed(name, what, 'all');
      });
    case 'kill agent':
      return alone(async () => {
        hitAll(battle, what);
        for (const { name } of engines) meter.killed(name, what, 'all');
        await world.killAgent(blow.awayMs);
        meter.back(what);
      });
    case 'stop agent':
    case 'power off':
      return alone(() => silence(battle, engine, blow));
    case 'drop connections':
      hitAll(battle, what);
      return world.dropConnections();
    case 'stop engine':
      engine.hit.add(what);
      await insist(() =>
        world.client.patch(CHAOS_ENGINES, engine.name, 'merge', { spec: { engineState: 'stop' } }, PLACE),
      );
      meter.killed(engine.name, what, 'all');
      return;
    case 'delete engine':
      engine.hit.add(what);
      await insist(() => world.client.delete(CHAOS_ENGINES, engine.name, PLACE));
      meter.killed(engine.name, what, 'all');
  }
}

function hitAll({ engines }: Battle, what: Blow['what']): void {
  for (const one of engines) one.hit.add(what);
}

function killProcesses({ world, meter }: Battle, engine: BatchEngine, what: Blow['what']): void {
  const kind = what.slice('kill '.length);
  const victims = chaosProcesses(world.id).filter((one) => one.kind === kind && one.engine === engine.name);
  for (const { pid, nodes } of victims) {
    engine.hit.add(what);
    try {
      process.kill(pid, 'SIGKILL');
      // A runner holds nothing.
      if (kind !== 'runner') meter.killed(engine.name, what, kind === 'helper' ? nodes : 'all');
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** One node's agent is away for a while, and with a machine without power everything on it. */
async function silence({ world, meter, engines }: Battle, engine: BatchEngine, blow: Blow): Promise<void> {
  const { what, awayMs } = blow;
  const { items } = await world.client.list(NODES).catch(() => ({ items: [] }));
  const node = items[engine.scenario.seed % Math.max(1, items.length)]?.metadata.name;
  if (node === undefined) return;
  const set = (mode: string | null): Promise<void> =>
    insist(() =>
      world.client.patch(NODES, node, 'merge', { metadata: { annotations: { [AGENT_ANNOTATION]: mode } } }),
    );
  for (const one of engines) one.hit.add(what);
  await set(what === 'stop agent' ? 'stopped' : 'off');
  // Where the experiment was there, all of its helpers are on their own; who was where does not matter after that.
  if (what === 'power off') for (const { name } of engines) meter.killed(name, what, [node]);
  await delay(awayMs);
  await set(null);
  meter.back(what);
}

/** Tries a request until the server answers; the cluster may be away for a moment. */
export async function insist(request: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; attempt < 150; attempt++) {
    try {
      await request();
      return;
    } catch (error) {
      if (isNotFound(error) || (error instanceof Error && /already exists/.test(error.message))) return;
      if (attempt === 149) throw error;
      await delay(100);
    }
  }
}
