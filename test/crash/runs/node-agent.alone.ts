/**
 * The node agent dies with the API server while helpers have something in force, and nothing ends their pods. Runs alone: any other
 * cluster that starts on the machine ends them, as what a dead one left.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import {
  CHAOS_ENGINES,
  CHAOS_RESULTS,
  type ChaosEngine,
  type ChaosResult,
  isOpen,
  type LedgerEntry,
} from '../../../src/api/index.ts';
import { JOURNAL_FOLDER, readJournals } from '../../../src/experiment/helper/journal.ts';
import { effectsImpossible } from '../../faults/support/fault-cluster.ts';
import { REPLICAS } from './application.ts';
import { Onlooker } from './effects.ts';
import { FAMILIES } from './families.ts';
import { MARGIN_MS } from './meter.ts';
import { chaosProcesses } from './processes.ts';
import { engineOf } from './run-batch.ts';
import { World } from './world.ts';

const PLACE = { namespace: 'default' };
const LEASE_SECONDS = 5;
const LIMIT_MS = 60_000;

test('helpers whose node agent is killed with the API server revert within their lease', {
  skip: effectsImpossible,
}, async (t) => {
  const world = await World.start({ isolated: true });
  t.after(() => world.close());
  const [, fault] = FAMILIES.network;
  const name = `${world.id}-agent`;
  const scenario = { fault, durationSeconds: 3600, policy: 'retain', leaseSeconds: LEASE_SECONDS } as const;
  await world.client.create<ChaosEngine>(CHAOS_ENGINES, engineOf(world, { name, scenario }), PLACE);
  const ledger = (isWanted: (entries: readonly LedgerEntry[]) => boolean): Promise<unknown> =>
    waitForObject<ChaosResult>(
      world.client,
      CHAOS_RESULTS,
      `${name}-${fault.name}`,
      (result) => isWanted(Object.values(result?.status?.ledger ?? {})),
      { ...PLACE, timeoutMs: LIMIT_MS },
    );
  await ledger(
    (entries) => entries.length === REPLICAS && entries.every(({ state }) => state === 'injected'),
  );
  const onlooker = new Onlooker(world);
  assert.equal((await onlooker.look()).effects.length, REPLICAS, 'a queue in each pod');
  const helpers = chaosProcesses(world.id).filter(({ kind }) => kind === 'helper');

  const boundMs = LEASE_SECONDS * 1000 + MARGIN_MS;
  const killedAt = performance.now();
  let isBack = false;
  const back = world.killAgent(boundMs + 3_000).finally(() => {
    isBack = true;
  });
  // Queues of other processes' namespaces: there is nothing to wait on.
  while ((await onlooker.look()).effects.length > 0) {
    assert.ok(performance.now() - killedAt < boundMs, `still in force ${boundMs / 1000} s after the kill`);
    await delay(50);
  }
  t.diagnostic(
    `gone after ${((performance.now() - killedAt) / 1000).toFixed(2)} s, lease ${LEASE_SECONDS} s`,
  );
  assert.ok(!isBack, 'nobody else can have done it');
  const alive = new Set(chaosProcesses(world.id).map(({ kind }) => kind));
  assert.ok(alive.has('experiment'), 'the pods go on');
  assert.equal(helpers.length, REPLICAS);
  await back;
  await ledger((entries) => entries.length === REPLICAS && !entries.some(isOpen));
  const journals = await readJournals(JOURNAL_FOLDER);
  assert.deepEqual(
    journals.filter(({ record }) => record.result.startsWith(world.id)),
    [],
  );
});
