import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { CHAOS_ENGINES, type ChaosEngine } from '../../../src/api/index.ts';
import { engineOf, isMarked } from './run-batch.ts';
import { World } from './world.ts';

const skip = existsSync('/proc/self/environ')
  ? false
  : 'processes are found by /proc, which this system does not have';
const PLACE = { namespace: 'default' };
/** Ten times the lease of these engines. */
const LIMIT_MS = 30_000;

test('a helper that is cut off from the API server reverts', {
  skip,
}, async (t) => {
  const world = await World.start();
  t.after(() => world.close());
  const name = `${world.id}-cut`;
  const scenario = { fault: 'mark-on-node', durationSeconds: 3600, policy: 'retain' } as const;
  await world.client.create<ChaosEngine>(CHAOS_ENGINES, engineOf(world, { name, scenario }), PLACE);
  assert.ok(await isMarked(world, { name }), 'something is in force');
  world.freeze();
  try {
    // Files of another process: there is nothing to wait on but the folder itself.
    for (const startedAt = performance.now(); (await readdir(world.markFolder)).length > 0; await delay(50)) {
      assert.ok(performance.now() - startedAt < LIMIT_MS, 'still in force long after the lease');
    }
  } finally {
    world.thaw();
  }
});
