/** Who looks for residues must not be blind: each kind of fault is seen while it is in force, and not afterwards. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '@turnsole/kube/testing/until';
import { CHAOS_ENGINES, type ChaosEngine } from '../../../src/api/index.ts';
import { effectsImpossible } from '../../faults/support/fault-cluster.ts';
import { applicationName } from './application.ts';
import type { Effect } from './effect.ts';
import { Onlooker } from './effects.ts';
import { FAMILIES, type FaultChoice } from './families.ts';
import { assaultsOf } from './remote.ts';
import { engineOf } from './run-batch.ts';
import { World } from './world.ts';

/** Seven runs start at once. */
const LIMIT_MS = 180_000;
/** A look enters every pod of the application by programs; it must not keep those that it waits for from starting. */
const LOOK_MS = 400;
const PLACE = { namespace: 'default' };

/** What is seen of a fault; all at the same time, of one application. */
const SEEN: readonly (readonly [FaultChoice['name'], readonly RegExp[]])[] = [
  ['node-cpu-hog', [/^load \d+ .* on turnsole-1$/]],
  ['k6-loadgen', [/^pod k6-loadgen-helper-/, /^client \d+ .*k6-stand-in/]],
  ['spring-boot-latency', [/^chaos monkey is enabled in pod app-0-/, /^chaos monkey latencyActive in/]],
  ['kafka-broker-pod-failure', [/^pod kafka-liveness-/, /^client \d+ .*stream/]],
  [
    'cassandra-pod-delete',
    [/^deployment cassandra-liveness-/, /^service cassandra-liveness-/, /^client \d+ .*liveness/],
  ],
  ['redfish-node-restart', [/^machine of app-0-bmc-0: .*"Off"/]],
  // The last: its node is silent then.
  ['kubelet-service-kill', [/^agent of turnsole-1 stopped$/]],
];

test('faults are seen while they are in force, and not afterwards', {
  skip: effectsImpossible,
}, async (t) => {
  const world = await World.start({ isolated: true, family: 'application' });
  t.after(() => world.close());
  const choices: readonly FaultChoice[] = Object.values(FAMILIES).flat();
  const faults = SEEN.map(([name]) => {
    const found = choices.find((choice) => choice.name === name);
    assert.ok(found, name);
    return found;
  });
  const application = applicationName(0);
  const onlooker = new Onlooker(
    world,
    faults.map((fault) => ({ application, fault })),
  );
  const begin = (fault: FaultChoice): Promise<unknown> => {
    const scenario = { fault, durationSeconds: 600, policy: 'delete', leaseSeconds: 30 } as const;
    const engine = engineOf(world, { name: `${world.id}-${fault.name}`, scenario });
    return world.client.create<ChaosEngine>(CHAOS_ENGINES, engine, PLACE);
  };
  const last = faults.length - 1;
  await Promise.all(faults.slice(0, last).map(begin));
  await looks(onlooker, unseenOf(SEEN.slice(0, last)));
  await Promise.all(faults.slice(last).map(begin));
  await looks(onlooker, unseenOf(SEEN.slice(last)));
  const { items } = await world.client.list<ChaosEngine>(CHAOS_ENGINES, PLACE);
  await Promise.all(items.map(({ metadata }) => world.client.delete(CHAOS_ENGINES, metadata.name, PLACE)));
  await looks(onlooker, (effects) => effects.map(({ what }) => `the end of: ${what}`));
});

/**
 * Gives, after each look, the names of those that no look has shown so far. Two faults need not show in the same look: a machine that
 * restarts is off for a few seconds only.
 */
function unseenOf(wanted: typeof SEEN): (effects: readonly Effect[]) => string[] {
  const unseen = new Map(wanted);
  return (effects) => {
    for (const [name, patterns] of unseen) {
      if (patterns.every((pattern) => effects.some(({ what }) => pattern.test(what)))) unseen.delete(name);
    }
    return [...unseen.keys()];
  };
}

/** Looks again and again until nothing is missing: neither processes nor applications announce what they do. */
async function looks(
  onlooker: Onlooker,
  missingFrom: (effects: readonly Effect[]) => readonly string[],
): Promise<void> {
  let effects: readonly Effect[] = [];
  let missing: readonly string[] = [];
  const isDone = async (): Promise<boolean> => {
    effects = (await onlooker.look()).effects;
    missing = missingFrom(effects);
    if (missing.length > 0) await delay(LOOK_MS);
    return missing.length === 0;
  };
  const problem = (): string =>
    `not seen in ${LIMIT_MS / 1000} s: ${missing.join(', ')}; in force ${JSON.stringify(effects)}`;
  await until(isDone, problem, LIMIT_MS);
}

test('what a Chaos Monkey says that is chaos', () => {
  const answer = (enabled: boolean, assaults: object, watchers: object): string =>
    JSON.stringify({
      chaosMonkeyProperties: { enabled },
      assaultProperties: { level: 5, deterministic: true, latencyActive: false, ...assaults },
      watcherProperties: { service: true, restController: false, ...watchers },
    });
  assert.deepEqual(assaultsOf(answer(false, {}, {})), []);
  assert.deepEqual(assaultsOf(answer(true, { latencyActive: true, level: 1 }, { restController: true })), [
    'is enabled',
    'latencyActive',
    'watches controllers',
    'has level 1',
  ]);
});
