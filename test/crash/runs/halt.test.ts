import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import { findCondition } from '@turnsole/kube/kinds/conditions';
import { CONFIG_MAPS } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import { CHAOS_ENGINES, type ChaosEngine } from '../../../src/api/index.ts';
import { turnsole } from '../../support/turnsole.ts';
import { MARK_BY_API, MARK_ON_NODE } from './families.ts';
import { MARK } from './faults.ts';
import { chaosProcesses } from './processes.ts';
import { engineOf, isMarked } from './run-batch.ts';
import { World } from './world.ts';

const skip = existsSync('/proc/self/environ')
  ? false
  : 'processes are found by /proc, which this system does not have';
const PLACE = { namespace: 'default' };
const FAULTS = [MARK_BY_API, MARK_ON_NODE] as const;

/** A world in which both faults are in force, for an hour. */
async function inForce(t: TestContext): Promise<World> {
  const world = await World.start();
  t.after(() => world.close());
  const names = FAULTS.map((fault) => ({ fault, name: `${world.id}-${fault.name}` }));
  for (const { fault, name } of names) {
    const scenario = { fault, durationSeconds: 3600, policy: 'retain' } as const;
    await world.client.create<ChaosEngine>(CHAOS_ENGINES, engineOf(world, { name, scenario }), PLACE);
  }
  for (const one of names) assert.ok(await isMarked(world, one), `${one.name} has something in force`);
  return world;
}

async function marksOf(world: World): Promise<string[]> {
  const files = await readdir(world.markFolder).catch(() => []);
  const { items } = await world.client.list(CONFIG_MAPS, PLACE);
  return [...files, ...items.map(({ metadata }) => metadata.name)].filter((name) => name.startsWith(MARK));
}

test('halt reverts everything, status says so, resume lets chaos begin again', { skip }, async (t) => {
  const world = await inForce(t);
  const flags = ['--kubeconfig', world.kubeconfig];
  const halted = await turnsole(['halt', '--reason', 'big sale', ...flags]);
  assert.equal(halted.code, 0, `${halted.stdout}\n${halted.stderr}`);
  assert.match(halted.stdout, /^chaos is halted in the whole cluster since .*: big sale/);
  assert.match(halted.stdout, /nothing is in force any more$/);
  assert.deepEqual(await marksOf(world), []);

  const name = `${world.id}-new`;
  const scenario = { fault: MARK_BY_API, durationSeconds: 3600, policy: 'retain' } as const;
  await world.client.create<ChaosEngine>(CHAOS_ENGINES, engineOf(world, { name, scenario }), PLACE);
  const limits = { ...PLACE, timeoutMs: PATIENCE_MS };
  const isWaiting = (engine: ChaosEngine | undefined): boolean =>
    findCondition(engine?.status?.conditions, 'Runnable')?.reason === 'Halted';
  await waitForObject<ChaosEngine>(world.client, CHAOS_ENGINES, name, isWaiting, limits);
  const { stdout } = await turnsole(['status', ...flags]);
  assert.match(stdout, new RegExp(`engine default/${name}: waiting \\(Halted: chaos is halted .*big sale`));
  assert.match(stdout, /3 engine\(s\), 0 injection\(s\) in force$/);

  assert.equal((await turnsole(['resume', ...flags])).code, 0);
  assert.ok(await isMarked(world, { name }));
});

test('halt works where no operator runs, and recovers what the dead left', { skip }, async (t) => {
  const world = await inForce(t);
  await world.removeOperator();
  // Nobody is left who could recover: runners are started again by their node, and obey their stopped engine.
  const flags = ['--kubeconfig', world.kubeconfig];
  for (const kind of ['runner', 'experiment', 'helper']) {
    for (const { pid } of chaosProcesses(world.id).filter((one) => one.kind === kind))
      process.kill(pid, 'SIGKILL');
  }
  const halted = await turnsole(['halt', ...flags]);
  assert.equal(halted.code, 0, `${halted.stdout}\n${halted.stderr}`);
  assert.deepEqual(await marksOf(world), []);
});
