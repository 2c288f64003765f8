/** What faults may add to the life of an experiment: a witness, a choice of pods, checks and a hold of their own. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@turnsole/kube/base/log';
import type { KubeObject, Pod } from '@turnsole/kube/kinds/core';
import { CONFIG_MAPS, PODS } from '@turnsole/kube/kinds/resources';
import { fastClock } from '@turnsole/kube/testing/fast-clock';
import {
  type ExperimentCluster,
  shareExperimentCluster,
} from '../../../../test/support/experiment-cluster.ts';
import { CHAOS_RESULTS } from '../../../api/index.ts';
import { StatusCheckError } from '../../injection/errors.ts';
import type { Fault, Injection, Witness } from '../../injection/fault.ts';
import { marker } from '../../injection/testing/marker-fault.ts';
import type { TunableSchema } from '../../injection/tunables.ts';
import { runRecovery } from '../recovery/run-recovery.ts';
import { runExperiment } from '../run-experiment.ts';

let cluster: ExperimentCluster;
shareExperimentCluster((started) => {
  cluster = started;
});
/** A run of a fault against two pods `web`, each hit leaving its name in `hits`. */
async function scene(change: (namespace: string, hits: string[]) => Partial<Fault>) {
  const namespace = await cluster.namespace();
  const pods = await cluster.deployment(namespace, 'web', 2);
  const hits: string[] = [];
  const base = marker();
  const fault: Fault = {
    ...base,
    shape: 'pulse',
    inject: async ({ target }) => void hits.push(target.name),
    ...change(namespace, hits),
  };
  const engine = await cluster.engine(namespace, fault.name);
  const own = await cluster.client.create<Pod>(
    PODS,
    {
      metadata: { name: 'me', labels: { chaosUID: engine.metadata.uid ?? '' } },
      spec: { containers: [{ name: fault.name, image: 'turnsole' }] },
    },
    { namespace },
  );
  const stop = new AbortController();
  const input = {
    fault,
    env: {
      CHAOSENGINE: 'eng',
      CHAOS_UID: engine.metadata.uid ?? '',
      CHAOS_NAMESPACE: namespace,
      POD_NAME: own.metadata.name,
      RUN_ID: 'run1',
      TARGETS: `deployment:${namespace}:[app=web]`,
      PODS_AFFECTED_PERC: '100',
      TOTAL_CHAOS_DURATION: '10',
      CHAOS_INTERVAL: '5',
    },
    client: cluster.client,
    clock: fastClock(),
    random: () => 0,
    signal: stop.signal,
    logger: silentLogger,
  };
  const maps = async (): Promise<string[]> => {
    const { items } = await cluster.client.list<KubeObject>(CONFIG_MAPS, { namespace });
    return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('marked-'));
  };
  return { namespace, pods, hits, input, stop, maps, result: () => cluster.result(namespace, `eng-marker`) };
}

const witnessOf = (namespace: string, change: Partial<Witness<TunableSchema>> = {}) => ({
  witness: {
    plan: (): Injection => ({
      id: 'witness',
      target: { kind: 'pod', namespace, name: 'witness' },
      parameters: {},
    }),
    start: marker().inject,
    check: () => Promise.resolve(),
    ...change,
  },
});

test('a witness runs beside all rounds, is asked, and is removed; the history names only what was hit', async () => {
  const seen: boolean[] = [];
  const set = await scene((namespace, hits) => ({
    ...witnessOf(namespace),
    inject: async ({ target }, { client }) => {
      hits.push(target.name);
      seen.push((await client.find(CONFIG_MAPS, 'marked-witness', { namespace })) !== undefined);
    },
  }));
  const { verdict } = await runExperiment(set.input);
  assert.equal(verdict, 'Pass');
  // Two pods in each round; on a busy machine this fast chaos is over before its second one.
  assert.ok(seen.length === 2 || seen.length === 4, `${seen.length} hits`);
  assert.ok(seen.every(Boolean));
  assert.deepEqual(await set.maps(), []);
  const { status } = await set.result();
  assert.deepEqual(
    status?.history?.targets?.map(({ name }) => name).sort(),
    set.pods.map(({ metadata }) => metadata.name).sort(),
  );
  assert.equal(status?.ledger?.['run1.witness']?.state, 'reverted');
  assert.equal(status?.ledger?.['run1.witness']?.instant, undefined);
});

test('a witness that complains makes the run an error, and goes all the same', async () => {
  const set = await scene((namespace) =>
    witnessOf(namespace, { check: () => Promise.reject(new StatusCheckError('the stream broke')) }),
  );
  const { verdict, errorOutput } = await runExperiment(set.input);
  assert.equal(`${verdict} ${errorOutput?.errorCode}`, 'Error STATUS_CHECKS_ERROR');
  assert.match(errorOutput?.reason ?? '', /the stream broke/);
  assert.deepEqual(await set.maps(), []);
});

test('a witness that cannot begin is taken away, and nothing is hit', async () => {
  const set = await scene((namespace) =>
    witnessOf(namespace, {
      start: async (injection, context) => {
        await marker().inject(injection, context);
        throw new StatusCheckError('it cannot connect');
      },
    }),
  );
  const { verdict } = await runExperiment(set.input);
  assert.equal(verdict, 'Error');
  assert.deepEqual(set.hits, []);
  assert.deepEqual(await set.maps(), []);
});

test('an abort takes the witness away', async () => {
  const set = await scene((namespace) => ({ ...witnessOf(namespace), inject: async () => set.stop.abort() }));
  const { verdict } = await runExperiment(set.input);
  assert.equal(verdict, 'Stopped');
  assert.deepEqual(await set.maps(), []);
});

test('a recovery of a dead run removes its witness, by the ledger', async () => {
  const set = await scene((namespace) => witnessOf(namespace));
  await runExperiment(set.input);
  const { status } = await set.result();
  assert.notEqual(status?.recovery?.container?.image, undefined, 'the result says how to recover');
  const entry = status?.ledger?.['run1.witness'];
  assert.ok(entry !== undefined);
  // As it stood when the process died.
  const open = { ...entry, state: 'injected', revertedAt: null };
  await cluster.client.create(
    CONFIG_MAPS,
    { metadata: { name: 'marked-witness' } },
    { namespace: set.namespace },
  );
  const patch = {
    metadata: { labels: { 'turnsole.io/run-id': 'run1' } },
    status: { ledger: { [entry.id]: open } },
  };
  await cluster.client.patch(CHAOS_RESULTS, 'eng-marker', 'merge', patch, { namespace: set.namespace });
  assert.equal(await runRecovery(set.input), 0);
  assert.deepEqual(await set.maps(), []);
});

test('a fault may choose its targets, knowing what its witness knows', async () => {
  const set = await scene((namespace) => ({
    ...witnessOf(namespace),
    chooseTargets: async (_tunables, { client }, witness) => {
      assert.equal(witness?.target.name, 'witness');
      const { items } = await client.list<Pod>(PODS, { namespace, labelSelector: 'app=web' });
      return `pod:${namespace}:[${items[1]?.metadata.name}]`;
    },
  }));
  const { verdict } = await runExperiment(set.input);
  assert.equal(verdict, 'Pass');
  assert.deepEqual(new Set(set.hits).size, 1);
});

test('checks of the fault are made before and after chaos, and their failure ends the run before anything is hit', async () => {
  const said: string[] = [];
  const good = await scene(() => ({
    health: {
      subject: 'server',
      check: async ({ entries, pods }) => {
        said.push(`${entries[0]?.kind} ${(await pods()).length}`);
        return 'the ring is whole';
      },
    },
  }));
  assert.equal((await runExperiment(good.input)).verdict, 'Pass');
  assert.deepEqual(said, ['deployment 2', 'deployment 2']);
  await cluster.events(good.namespace, /^ChaosEngine PreChaosCheck Normal ×1: NUT: Running$/);
  const bad = await scene(() => ({
    health: { check: () => Promise.reject(new StatusCheckError('the ring is broken')) },
  }));
  const { verdict, errorOutput } = await runExperiment(bad.input);
  assert.equal(`${verdict} ${errorOutput?.errorCode}`, 'Error STATUS_CHECKS_ERROR');
  assert.deepEqual(bad.hits, []);
  const off = await scene(() => ({
    health: { check: () => Promise.reject(new StatusCheckError('the ring is broken')) },
  }));
  const skipped = await runExperiment({
    ...off.input,
    env: { ...off.input.env, DEFAULT_HEALTH_CHECK: 'false' },
  });
  assert.equal(skipped.verdict, 'Pass');
});

test('a hold of the fault stands for the passing of time, and what it throws is followed by the revert', async () => {
  const held = await scene(() => ({
    ...marker(),
    hold: (injections, _context, durationMs) =>
      Promise.reject(new StatusCheckError(`${injections.length} for ${durationMs} ms`)),
  }));
  const { verdict, errorOutput } = await runExperiment(held.input);
  assert.equal(`${verdict} ${errorOutput?.errorCode}`, 'Error STATUS_CHECKS_ERROR');
  assert.match(errorOutput?.reason ?? '', /2 for 10000 ms/);
  assert.deepEqual(await held.maps(), []);
});
