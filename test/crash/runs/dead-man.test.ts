import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  isOpen,
  type LedgerEntry,
} from '../../../src/api/index.ts';
import { MARK_ON_NODE } from './families.ts';
import { engineOf } from './run-batch.ts';
import { World } from './world.ts';

const skip = existsSync('/proc/self/environ')
  ? false
  : 'processes are found by /proc, which this system does not have';
const PLACE = { namespace: 'default' };
/** The pods of the application, on two nodes: two helpers. */
const TARGETS = 2;

test('helpers that are cut off from the API server revert, and say so when it is back', {
  skip,
}, async (t) => {
  const world = await World.start();
  t.after(() => world.close());
  const name = `${world.id}-cut`;
  const scenario = { fault: MARK_ON_NODE, durationSeconds: 3600, policy: 'retain' } as const;
  await world.client.create<ChaosEngine>(CHAOS_ENGINES, engineOf(world, { name, scenario }), PLACE);
  const ledger = (isWanted: (entries: readonly LedgerEntry[]) => boolean): Promise<unknown> =>
    waitForObject<ChaosResult>(
      world.client,
      CHAOS_RESULTS,
      `${name}-mark-on-node`,
      (result) => isWanted(Object.values(result?.status?.ledger ?? {})),
      { ...PLACE, timeoutMs: PATIENCE_MS },
    );
  // A helper that has not injected before the outage may do so after it, and is right to hold then.
  await ledger((entries) => entries.length === TARGETS && entries.every(({ state }) => state === 'injected'));
  world.freeze();
  try {
    // Files of another process: there is nothing to wait on but the folder itself.
    for (const startedAt = performance.now(); (await readdir(world.markFolder)).length > 0; await delay(50)) {
      assert.ok(performance.now() - startedAt < PATIENCE_MS, 'still in force long after the lease');
    }
  } finally {
    world.thaw();
  }
  await ledger((entries) => entries.length === TARGETS && !entries.some(isOpen));
});
