import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ConnectionError } from '@turnsole/kube/client/errors';
import type { KubeClient, RequestOptions } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { ChaosEngine, ChaosResult } from '../../api/index.ts';
import { HelperError } from '../injection/errors.ts';
import {
  followsLease,
  type HoldOptions,
  wantedAtFirst,
  wantedNoMore,
  wantedNoMoreOnceReached,
} from './hold.ts';

const LEASE_MS = 30_000;
/** Far longer than anything here may hold: ten minutes stand for an hour. */
const HOUR_MS = 600_000;
/** Time goes on by this much while nothing ends the hold. */
const STEP_MS = 500;
/** By the crash contract nothing is in force for longer than this after its lease. */
const CONTRACT_MS = 2_000;

/** What the API server says at a time after the start, in milliseconds. */
interface Server {
  /** From then on it takes requests and does not answer. */
  readonly silentFromMs?: number;
  /** Whether it refuses connections. */
  readonly isDown?: (afterMs: number) => boolean;
  /** How long answers take. @default 0 */
  readonly slowMs?: (afterMs: number) => number;
  /** What does not belong to an account's own namespace is not for it. */
  readonly forbidsPings?: boolean;
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

/** Watches for at most an hour and gives for how long the fault was wanted, in milliseconds. */
async function heldMs(
  server: Server,
  hold: (options: HoldOptions) => Promise<void> = wantedNoMore,
): Promise<number> {
  const clock = new FakeClock();
  const startedMs = clock.now();
  const answer = async ({ timeoutMs = HOUR_MS, signal }: RequestOptions = {}): Promise<number> => {
    const afterMs = clock.now() - startedMs;
    if (server.isDown?.(afterMs) === true) throw new ConnectionError('GET', 'refused');
    if (afterMs >= (server.silentFromMs ?? HOUR_MS)) {
      await clock.sleep(timeoutMs, signal);
      throw new ConnectionError('GET', 'no answer');
    }
    const takesMs = server.slowMs?.(afterMs) ?? 0;
    if (takesMs > 0) await clock.sleep(Math.min(takesMs, timeoutMs), signal);
    if (takesMs > timeoutMs) throw new ConnectionError('GET', 'too slow');
    return afterMs;
  };
  const client: Pick<KubeClient, 'get' | 'raw' | 'watch'> = {
    get: async <T extends KubeObject>(resource: Resource, name: string, options?: RequestOptions) => {
      const afterMs = await answer(options);
      const found =
        resource.kind === 'ChaosEngine'
          ? (server.engine ?? (() => engine('active')))(afterMs)
          : server.result?.(afterMs);
      if (found === undefined) throw new ApiError('GET', 404, { details: { name } });
      // Only these two kinds are asked for.
      return found as unknown as T;
    },
    raw: async <T>(_method: string, path: string, _body?: unknown, options?: RequestOptions) => {
      assert.equal(path, '/version');
      await answer(options);
      if (server.forbidsPings === true) throw new ApiError('GET /version', 403, {});
      return {} as T;
    },
    watch: () => {
      throw new ConnectionError('WATCH chaosengines', 'no watches here');
    },
  };
  const hour = new AbortController();
  const held = hold({
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
    signal: hour.signal,
    leaseMs: LEASE_MS,
  });
  let error: unknown;
  let isOver = false;
  held
    .catch((reason: unknown) => {
      error = reason;
    })
    .finally(() => {
      isOver = true;
    });
  while (!isOver && clock.now() - startedMs < HOUR_MS) await clock.advance(STEP_MS);
  const lasted = clock.now() - startedMs;
  hour.abort();
  if (error instanceof Error) throw Object.assign(error, { lasted });
  return lasted;
}

/** Watches as {@link heldMs} does, until the hold fails with such a message. */
async function failedMs(server: Server, message: RegExp, hold = wantedNoMore): Promise<number> {
  const outcome = await heldMs(server, hold).then(
    (lasted) => assert.fail(`it ended without an error after ${lasted} ms`),
    (error: unknown) => error,
  );
  assert.ok(outcome instanceof HelperError);
  assert.match(outcome.message, message);
  // Added by `heldMs`.
  return (outcome as HelperError & { lasted: number }).lasted;
}

const SILENT =
  /the experiment has given no sign of life for 30 s, so that the fault was ended before its time/;

test('a hold lasts as long as the lease is renewed, and fails no later than its length after that', async () => {
  const lasted = await failedMs({ result: (afterMs) => result(Math.min(afterMs, 300_000)) }, SILENT);
  assert.ok(lasted >= 300_000, `held only ${lasted} ms`);
  assert.ok(lasted <= 300_000 + LEASE_MS + CONTRACT_MS, `held ${lasted} ms`);
});

test('renewals that come late by a third of the lease change nothing', async () => {
  const everyMs = (2 * LEASE_MS) / 3;
  const lasted = await heldMs({ result: (afterMs) => result(Math.floor(afterMs / everyMs) * everyMs) });
  assert.equal(lasted, HOUR_MS);
});

for (const lastMs of [0, 1_000, 4_999, 9_000, 60_000]) {
  test(`the last renewal after ${lastMs} ms ends the hold within its lease and ${CONTRACT_MS} ms`, async () => {
    const renewed = (afterMs: number): number =>
      afterMs >= lastMs ? lastMs : Math.floor(afterMs / 10_000) * 10_000;
    const lasted = await failedMs({ result: (afterMs) => result(renewed(afterMs)) }, SILENT);
    assert.ok(lasted >= LEASE_MS, `held only ${lasted} ms`);
    assert.ok(lasted <= lastMs + LEASE_MS + CONTRACT_MS, `held ${lasted} ms`);
  });
}

for (const silentFromMs of [0, 1_000, 7_300, 61_000]) {
  test(`a server that falls silent after ${silentFromMs} ms ends the hold within the lease and ${CONTRACT_MS} ms`, async () => {
    const lasted = await failedMs({ result: (afterMs) => result(afterMs), silentFromMs }, /out of reach/);
    assert.ok(lasted >= LEASE_MS && lasted <= silentFromMs + LEASE_MS + CONTRACT_MS, `held ${lasted} ms`);
  });
}

for (const [name, gone] of [
  ['the run is over', result(0, 'Completed')],
  ['another run has begun', result(0, 'Running', 'other')],
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

test('a hold fails when the API server is out of reach for the length of the lease', async () => {
  const lasted = await failedMs({ isDown: () => true }, /out of reach for 30 s; reverting/);
  assert.ok(lasted >= LEASE_MS && lasted <= LEASE_MS + CONTRACT_MS, `held ${lasted} ms`);
});

test('a server that does not serve the kinds of chaos yet says nothing of results and engines', async () => {
  const unserved = (afterMs: number): void => {
    if (afterMs > 60_000 && afterMs < 80_000) throw new ApiError('GET', 404, { details: {} });
  };
  const server: Server = {
    result: (afterMs) => {
      unserved(afterMs);
      return result(afterMs);
    },
    engine: (afterMs) => {
      unserved(afterMs);
      return engine('active');
    },
  };
  assert.equal(await heldMs(server), HOUR_MS);
});

test('a hold fails when the result is deleted, for the run may go on', async () => {
  await failedMs({ result: () => undefined }, /ChaosResult shop\/r was deleted/);
});

/** Renewals of an experiment that lives: three per lease; one that fails is tried again each second, and succeeds a second after the outage. */
function renewedThrough(fromMs: number, forMs: number): (afterMs: number) => number {
  const backMs = fromMs + forMs + 1_000;
  return (afterMs) => {
    if (afterMs < fromMs || afterMs < backMs) return Math.floor(Math.min(afterMs, fromMs) / 10_000) * 10_000;
    return backMs + Math.floor((afterMs - backMs) / 10_000) * 10_000;
  };
}

// Wherever it falls between two looks, two pings and two renewals.
for (const fromMs of [60_000, 60_001, 61_400, 64_999, 66_100, 69_990, 73_300, 78_700]) {
  for (const forMs of [1_000, 15_000, 23_700, 29_400]) {
    const isDown = (afterMs: number): boolean => afterMs >= fromMs && afterMs < fromMs + forMs;
    test(`an outage of ${forMs} ms after ${fromMs} ms changes nothing`, async () => {
      const renewed = renewedThrough(fromMs, forMs);
      const held = (server: Server): Promise<number> =>
        heldMs({ result: (afterMs) => result(renewed(afterMs)), isDown, ...server });
      assert.equal(await held({}), HOUR_MS);
      assert.equal(await held({ forbidsPings: true }), HOUR_MS);
    });

    test(`an experiment that died before an outage of ${forMs} ms after ${fromMs} ms has the time for one renewal`, async () => {
      const server: Server = { isDown, result: (afterMs) => result(Math.min(afterMs, fromMs - 5_000)) };
      const lasted = await failedMs(server, SILENT);
      const silentMs = lasted - (fromMs - 5_000);
      const boundMs = Math.max(LEASE_MS, 5_000 + forMs + LEASE_MS / 3);
      assert.ok(
        silentMs >= LEASE_MS - 5_000 && silentMs <= boundMs + CONTRACT_MS,
        `silent for ${silentMs} ms`,
      );
    });
  }
}

test('an outage as long as the lease ends a hold within two seconds', async () => {
  for (const fromMs of [60_000, 63_456]) {
    const isDown = (afterMs: number): boolean => afterMs >= fromMs;
    const lasted = await failedMs({ isDown, result: (afterMs) => result(afterMs) }, /out of reach/);
    assert.ok(lasted >= fromMs + LEASE_MS && lasted <= fromMs + LEASE_MS + CONTRACT_MS, `held ${lasted} ms`);
  }
});

test('a server that comes and goes does not keep the fault of a dead experiment for longer than two leases', async () => {
  const server: Server = { result: () => result(0), isDown: (afterMs) => afterMs % 9_000 < 4_500 };
  assert.ok((await failedMs(server, SILENT)) <= 2 * LEASE_MS + CONTRACT_MS);
});

test('a server whose pings are answered and whose results are not is out of reach', async () => {
  const server: Server = {
    result: (afterMs) => {
      if (afterMs >= 60_000) throw new ApiError('GET chaosresults', 500, {});
      return result(afterMs);
    },
  };
  const lasted = await failedMs(server, /out of reach/);
  assert.ok(lasted >= 60_000 + LEASE_MS && lasted <= 65_000 + LEASE_MS + CONTRACT_MS, `held ${lasted} ms`);
});

test('a look that hangs until the lease is over is not the last one', async () => {
  // From 61 s on connections hang; from 90 s on new ones are answered.
  const isHung = (afterMs: number): boolean => afterMs >= 61_000 && afterMs < 90_000;
  const server: Server = {
    slowMs: (afterMs) => (isHung(afterMs) ? HOUR_MS : 0),
    result: (afterMs) => result(isHung(afterMs) ? 60_000 : afterMs),
  };
  assert.equal(await heldMs(server), HOUR_MS);
});

test('a server that takes longer than there is between two looks changes nothing', async () => {
  const lasted = await heldMs({
    slowMs: (afterMs) => (afterMs > 60_000 && afterMs < 300_000 ? (LEASE_MS / 6) * 1.3 : 0),
    result: (afterMs) => result(afterMs, afterMs > 400_000 ? 'Completed' : 'Running'),
  });
  assert.ok(lasted > 400_000, `lasted ${lasted} ms`);
});

test('what leaves nothing in force goes on while the API server is silent, and ends with its run or the lease of that', async () => {
  const silent: Server = { silentFromMs: 60_000, result: (afterMs) => result(afterMs) };
  assert.equal(await heldMs(silent, wantedNoMoreOnceReached), HOUR_MS);
  const over: Server = {
    result: (afterMs) => result(afterMs, afterMs < 60_000 ? 'Running' : 'Completed'),
  };
  const lasted = await heldMs(over, wantedNoMoreOnceReached);
  assert.ok(lasted >= 60_000 && lasted <= 60_000 + LEASE_MS / 6 + CONTRACT_MS, `lasted ${lasted} ms`);
  const frozen: Server = { result: () => result(0) };
  assert.ok((await failedMs(frozen, SILENT, wantedNoMoreOnceReached)) <= LEASE_MS + CONTRACT_MS);
});

test('helpers end with the lease unless they do one thing once', () => {
  assert.equal(followsLease({ shape: 'sustained' }), true);
  assert.equal(followsLease({ shape: 'pulse' }), true);
  assert.equal(followsLease({ shape: 'pulse', once: true }), false);
});

test('what has begun and follows nothing ends with its signal, also with one that has aborted already', async () => {
  const assignment = {
    version: 1,
    fault: 'f',
    runId: 'run',
    result: 'r',
    experiment: 'f',
    targets: [],
  } as const;
  const signal = AbortSignal.abort(new Error('over'));
  // Without an engine nothing is asked of the API server.
  const options = { client: {} as KubeClient, clock: new FakeClock(), namespace: 'shop', assignment, signal };
  await assert.rejects(wantedAtFirst(options), /over/);
});
