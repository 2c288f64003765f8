/**
 * The operator on a bad day: any of its writes may fail before it reaches the API server, or after it was stored. Every engine
 * still ends as it would have, with one Job, and nothing is left.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConnectionError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import {
  endlessExperiment,
  engineOf,
  type StandInCluster,
  startStandIn,
} from '../../../test/support/stand-in-cluster.ts';
import { CHAOS_ENGINES, type ChaosEngine, ENGINE_FINALIZER } from '../../api/index.ts';

const WRITES: readonly PropertyKey[] = ['create', 'patch', 'delete', 'deleteCollection'];
const ENGINES = 4;

/** What fails differs by seed; where the status is stored matters to a few requests only. Each costs two clusters of four runs. */
const SEEDS = [
  { statusSubresource: false, seeds: [1, 2] },
  { statusSubresource: true, seeds: [3] },
];

for (const { statusSubresource, seeds } of SEEDS) {
  for (const seed of seeds) {
    const name = `seed ${seed}, status ${statusSubresource ? 'as subresource' : 'in the object'}`;

    test(`flaky writes: runs complete (${name})`, async (context) => {
      const { cluster, names } = await startFlaky(context, seed, statusSubresource);
      const engines = await Promise.all(names.map((engine) => cluster.ended(engine, 'completed')));
      for (const { status, metadata } of engines) {
        assert.deepEqual(verdicts(status), ['Completed, Pass'], JSON.stringify(status));
        assert.deepEqual(metadata.finalizers, [ENGINE_FINALIZER]);
      }
      assert.equal((await cluster.jobs()).length, ENGINES);
    });

    test(`flaky writes: aborts and deletions end (${name})`, async (context) => {
      const { cluster, names } = await startFlaky(context, seed, statusSubresource, true);
      const isRunning = ({ status }: ChaosEngine): boolean => status?.experiments?.[0]?.status === 'Running';
      await Promise.all(names.map((engine) => cluster.engine(engine, isRunning)));
      await Promise.all(
        names.map(async (engine, index) => {
          if (index % 2 === 0) {
            await cluster.patch(engine, { spec: { engineState: 'stop' } });
            const { status } = await cluster.engine(
              engine,
              (now) => now.status?.engineStatus === 'stopped' && now.metadata.finalizers === undefined,
            );
            assert.deepEqual(verdicts(status), ['Forcefully Aborted, Stopped']);
          } else {
            await cluster.client.delete(CHAOS_ENGINES, engine, { namespace: 'default' });
            await cluster.gone(engine);
          }
        }),
      );
      assert.deepEqual([await cluster.pods(), await cluster.jobs()], [[], []]);
    });
  }
}

function verdicts(status: ChaosEngine['status']): string[] {
  return (status?.experiments ?? []).map((entry) => `${entry.status}, ${entry.verdict}`);
}

async function startFlaky(
  context: Parameters<typeof startStandIn>[0],
  seed: number,
  statusSubresource: boolean,
  endless = false,
): Promise<{ cluster: StandInCluster; names: string[] }> {
  const random = seeded(seed);
  const cluster = await startStandIn(context, {
    statusSubresource,
    operatorClient: (client) => flaky(client, random),
    ...(endless ? { experiment: endlessExperiment } : {}),
  });
  await cluster.experiment('pod-delete');
  const names = Array.from({ length: ENGINES }, (_, index) => `web-${index}`);
  await Promise.all(names.map((name) => cluster.apply(engineOf(name, ['pod-delete']))));
  return { cluster, names };
}

/** A quarter of all writes fails, half of those after they were stored. */
function flaky(client: KubeClient, random: () => number): KubeClient {
  return new Proxy(client, {
    get: (target, property) => {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      if (!WRITES.includes(property)) return value.bind(target);
      return async (...parameters: unknown[]): Promise<unknown> => {
        const dice = random();
        if (dice < 0.125) throw new ConnectionError(String(property), 'connection reset before the request');
        const answer: unknown = await Reflect.apply(value, target, parameters);
        if (dice < 0.25) throw new ConnectionError(String(property), 'connection reset before the answer');
        return answer;
      };
    },
  });
}

/** A linear congruential generator: the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}
