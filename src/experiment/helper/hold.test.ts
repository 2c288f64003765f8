import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChaosEngine, ChaosResult, KubeObject, Resource } from '../../api/index.ts';
import { ConnectionError } from '../../kube/client/errors.ts';
import type { KubeClient } from '../../kube/client/types.ts';
import { FakeClock } from '../../kube/runtime/fake-clock.ts';
import { HelperError } from '../errors.ts';
import { holdWhileWanted } from './hold.ts';

const LEASE_MS = 30_000;
/** Far longer than anything here may hold. */
const HOUR_MS = 3_600_000;
/** Time goes on by this much while nothing ends the hold. */
const STEP_MS = 1_000;

/** What the API server says at a time after the start, in milliseconds. */
interface Server {
  readonly result?: (afterMs: number) => ChaosResult | undefined;
  readonly engine?: (afterMs: number) => ChaosEngine | undefined;
}

function result(renewedMs: number, phase: 'Running' | 'Completed' = 'Running', run = 'run'): ChaosResult {
  return {
    metadata: { name: 'r', labels: { 'turnsole.io/run-id': run } },
    status: {
      experimentStatus: { phase, verdict: 'Awaited' },
      lease: { renewTime: new Date(renewedMs).toISOString(), durationSeconds: LEASE_MS / 1000 },
    },
  };
}

function engine(state: 'active' | 'stop', uid = 'u1'): ChaosEngine {
  return { metadata: { name: 'eng', uid }, spec: { engineState: state, experiments: [] } };
}

/** Holds for an hour and gives how long it held, in milliseconds. */
async function heldMs(server: Server): Promise<number> {
  const clock = new FakeClock();
  const startedMs = clock.now();
  const client: Pick<KubeClient, 'find' | 'watch'> = {
    find: <T extends KubeObject>(resource: Resource) => {
      const afterMs = clock.now() - startedMs;
      const answer =
        resource.kind === 'ChaosEngine'
          ? (server.engine ?? (() => engine('active')))(afterMs)
          : server.result?.(afterMs);
      // Only these two kinds are asked for.
      return Promise.resolve(answer as T | undefined);
    },
    watch: () => {
      throw new ConnectionError('WATCH chaosengines', 'no watches here');
    },
  };
  const held = holdWhileWanted(
    {
      // Nothing else of the client is used.
      client: client as KubeClient,
      clock,
      namespace: 'shop',
      assignment: {
        version: 1,
        fault: 'f',
        runId: 'run',
        result: 'r',
        experiment: 'f',
        engine: { name: 'eng', uid: 'u1' },
        targets: [],
      },
      signal: new AbortController().signal,
      leaseMs: LEASE_MS,
    },
    HOUR_MS,
  );
  let isOver = false;
  held.then(
    () => {
      isOver = true;
    },
    () => {
      isOver = true;
    },
  );
  while (!isOver) await clock.advance(STEP_MS);
  await held;
  return clock.now() - startedMs;
}

test('a hold lasts as long as the lease is renewed, and no longer than its length after that', async () => {
  const lasted = await heldMs({ result: (afterMs) => result(Math.min(afterMs, 300_000)) });
  assert.ok(lasted >= 300_000, `held only ${lasted} ms`);
  assert.ok(lasted < HOUR_MS, `held ${lasted} ms`);
});

for (const [name, gone] of [
  ['the run is over', result(0, 'Completed')],
  ['another run has begun', result(0, 'Running', 'other')],
  ['the result is deleted', undefined],
] as const) {
  test(`a hold ends when ${name}`, async () => {
    assert.ok((await heldMs({ result: () => gone })) < HOUR_MS);
  });
}

for (const [name, now] of [
  ['is stopped', engine('stop')],
  ['is gone', undefined],
  ['was made anew under its name', engine('active', 'u2')],
] as const) {
  test(`a hold ends when the engine ${name}`, async () => {
    const server = { result: (afterMs: number) => result(afterMs), engine: () => now };
    assert.ok((await heldMs(server)) < HOUR_MS);
  });
}

test('a hold ends with an error when the API server is out of reach for the length of the lease', async () => {
  const held = heldMs({
    result: () => {
      throw new ConnectionError('GET chaosresults', 'refused');
    },
  });
  await assert.rejects(held, (error: unknown) => {
    assert.ok(error instanceof HelperError);
    assert.match(error.message, /out of reach for 30 s; reverting/);
    return true;
  });
});

test('an outage shorter than the lease changes nothing', async () => {
  const lasted = await heldMs({
    result: (afterMs) => {
      if (afterMs > 60_000 && afterMs < 75_000) throw new ConnectionError('GET chaosresults', 'refused');
      return afterMs > 240_000 ? undefined : result(afterMs);
    },
  });
  assert.ok(lasted > 240_000);
});
