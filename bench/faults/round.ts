import { setTimeout as delay } from 'node:timers/promises';
import { NAMESPACES } from '@turnsole/kube/kinds/resources';
import { waitForObject } from '@turnsole/kube/runtime/wait';
import { CHAOS_ENGINES, type ChaosEngine, type ChaosResult } from '../../src/api/index.ts';
import type { FaultCluster, FaultRun } from '../../test/faults/support/fault-cluster.ts';
import type { Family, Scene } from './families.ts';
import { type RoundSteps, stepsOf } from './steps.ts';

/** Milliseconds of one round. */
export interface Round {
  /** From before the engine is created to the first sight of the effect. */
  readonly toEffect: number;
  /** From before the request that stops the engine to the first sight of normal; undefined where nothing stays in force. */
  readonly toNormal: number | undefined;
  /** From the same moment until the result says how the run ended. */
  readonly toResult: number;
  readonly steps: RoundSteps;
}

const LIMIT_MS = 30_000;
/** An abort hits a run that has come to rest. */
const REST_MS = 500;
const DURATION_SECONDS = '120';

/**
 * One engine, from its creation to its abort, in a namespace of its own.
 *
 * @throws Error when it does not go as it should · the signal's reason
 */
export async function measureRound(
  cluster: FaultCluster,
  family: Family,
  signal: AbortSignal,
): Promise<Round> {
  signal.throwIfAborted();
  const namespace = await cluster.namespace();
  const scene = await family.prepare(cluster, namespace);
  try {
    return await withOnlooker(cluster, family, namespace, scene, signal);
  } finally {
    await scene.onlooker.stop();
    await cluster.client.delete(NAMESPACES, namespace);
    await waitForObject(cluster.client, NAMESPACES, namespace, (found) => found === undefined, {
      timeoutMs: LIMIT_MS,
    });
  }
}

async function withOnlooker(
  cluster: FaultCluster,
  family: Family,
  namespace: string,
  { onlooker: { sightings }, env, pods }: Scene,
  signal: AbortSignal,
): Promise<Round> {
  const limit = (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  await sightings.first(false, 0, limit());
  const run = await cluster.run(family.fault, {
    namespace,
    ...(pods === undefined ? {} : { pods }),
    env: { TOTAL_CHAOS_DURATION: DURATION_SECONDS, ...family.env, ...env },
  });
  const effectAt = await unlessOver(family, run, sightings.first(true, run.createdAt, limit()));
  const result = await run.until(isHit);
  await delay(REST_MS, undefined, { signal });
  const stoppedAt = Date.now();
  await run.abort();
  const normal = sightings.first(false, stoppedAt, limit());
  normal.catch(() => {});
  const [normalAt, ended] = await Promise.all([family.lasts ? normal : undefined, run.ended()]);
  const endedAt = Date.now();
  const { verdict } = ended.status?.experimentStatus ?? {};
  if (verdict !== 'Stopped') throw new Error(`${family.fault} ended as ${verdict} and not by its abort`);
  const engine = await cluster.client.get<ChaosEngine>(CHAOS_ENGINES, run.engine, { namespace });
  const steps = stepsOf(engine, ended, { createdAt: run.createdAt, effectAt, stoppedAt, normalAt });
  if (effectAt < steps.plannedAt) {
    throw new Error(
      `the effect of ${family.fault} was seen before it was planned: ${JSON.stringify(result)}`,
    );
  }
  return {
    toEffect: effectAt - run.createdAt,
    toNormal: normalAt === undefined ? undefined : normalAt - stoppedAt,
    toResult: endedAt - stoppedAt,
    steps,
  };
}

/** If an effect never shows, the run that ended without it explains more. */
async function unlessOver<T>({ fault }: Family, run: FaultRun, seen: Promise<T>): Promise<T> {
  const early = run.ended().then(({ status }) => {
    throw new Error(
      `${fault} was over before its effect was seen: ${JSON.stringify(status?.experimentStatus)}`,
    );
  });
  for (const wait of [early, seen]) wait.catch(() => {});
  return Promise.race([seen, early]);
}

function isHit({ status }: ChaosResult): boolean {
  const entries = Object.values(status?.ledger ?? {});
  return entries.length > 0 && entries.every(({ state }) => state !== 'planned');
}
