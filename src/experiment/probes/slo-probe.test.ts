import assert from 'node:assert/strict';
import { EventEmitter, on } from 'node:events';
import { test } from 'node:test';
import type { Clock } from '@turnsole/kube/base/clock';
import { ApiError } from '@turnsole/kube/client/errors';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Secret } from '@turnsole/kube/kinds/core';
import { SECRETS } from '@turnsole/kube/kinds/resources';
import { FakeClock } from '@turnsole/kube/testing/fake-clock';
import type { Probe, SloProbeInputs } from '../../api/schema/probe.ts';
import { runAttempts } from './attempts.ts';
import type { Measurement } from './outcome.ts';
import type { MeasureContext } from './probe-kind.ts';
import { compileRunProperties } from './run-properties.ts';
import { createSloProbe } from './slo-probe.ts';
import { measureContext, noClient, sloProbe } from './testing/builders.ts';
import { REFUSING_URL, startPeer } from './testing/http-peer.ts';
import { SLO_TOKEN, type SloPlatform, startSloPlatform } from './testing/slo-platform.ts';

const MINUTE = 60_000;

/** A client that has the Secret with the token, and nothing else. */
function clientWith(data: Record<string, string>): KubeClient {
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'slo-token' },
    data: Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    ),
  };
  const get = async (resource: unknown, name: string, { namespace }: { namespace: string }) => {
    if (resource === SECRETS && `${namespace}/${name}` === 'chaos/slo-token') return secret;
    throw new ApiError(`GET ${name}`, 404, { reason: 'NotFound', message: 'not found' });
  };
  return Object.assign(Object.create(noClient()), { get });
}

/** Runs a probe against a platform as the runner does, on a clock that the test moves. */
interface Setup {
  readonly platform: SloPlatform;
  readonly clock: FakeClock;
  /** Resolves when the probe begins its next pause. */
  paused(): Promise<unknown>;
  measure(run?: Partial<Probe['runProperties']>, inputs?: Partial<SloProbeInputs>): Promise<Measurement>;
}

async function setUp(context: Partial<MeasureContext> = {}): Promise<Setup & AsyncDisposable> {
  const clock = new FakeClock();
  const sleeps = new EventEmitter();
  const pauses = on(sleeps, 'pause');
  const observed: Clock = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    setTimer: (ms, callback) => clock.setTimer(ms, callback),
    sleep: async (ms, signal) => {
      const slept = clock.sleep(ms, signal);
      sleeps.emit('pause');
      await slept;
    },
  };
  const platform = await startSloPlatform(clock.now());
  const measure: Setup['measure'] = (run = {}, inputs = {}) => {
    const probe = sloProbe(platform.endpoint, inputs);
    const compiled = compileRunProperties({ probeTimeout: '1s', interval: '10s', ...run }, 5000);
    const kind = createSloProbe();
    return runAttempts({
      type: 'sloProbe',
      limits: { ...compiled, timeoutMs: kind.attemptLimitMs?.(compiled) ?? 0 },
      clock: observed,
      signal: new AbortController().signal,
      subject: () => 'the SLO',
      measure: (signal) =>
        kind.measure(probe, {
          ...measureContext({
            client: clientWith({ 'X-API-KEY': `${SLO_TOKEN}\n` }),
            env: { CHAOS_NAMESPACE: 'chaos' },
            ...context,
          }),
          clock: observed,
          limits: compiled,
          signal,
        }),
    });
  };
  const paused = (): Promise<unknown> => pauses.next();
  return { platform, clock, paused, measure, [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose]() };
}

const reasonOf = (measurement: Measurement): string =>
  measurement.outcome === 'passed' ? measurement.description : `${measurement.code}: ${measurement.reason}`;

test('the drop of the error budget in the last minutes is compared', async () => {
  await using at = await setUp();
  await at.clock.advance(20 * MINUTE);
  const burndown = [
    [0, 99],
    [4, 98.25],
    [10, 98],
    [20, 97.75],
  ] as const;
  at.platform.objectives.set('acme/default/shop/checkout', { burndown });
  assert.deepEqual(await at.measure(), {
    outcome: 'passed',
    description:
      "The error budget of SLO 'checkout' dropped as allowed. Actual value: 0.5. Expected value: 1",
    measured: { what: 'value', value: 0.5 },
    latencyMs: 0,
  });
  assert.deepEqual(await at.measure({}, { comparator: { criteria: '<', value: '0.5' } }), {
    outcome: 'failure',
    code: 'SLO_PROBE_FAILURE',
    reason: 'Actual value: 0.5. Expected value: lesser than 0.5',
    failure: 'other value',
    measured: { what: 'value', value: 0.5 },
  });
  const asked = new URL(at.platform.peer.requests[0]?.split(' ')[1] ?? '', 'http://x');
  assert.equal(asked.pathname, '/gateway/cv/api/slo-dashboard/widget/checkout');
  assert.deepEqual(Object.fromEntries(asked.searchParams), {
    accountId: 'acme',
    orgIdentifier: 'default',
    projectIdentifier: 'shop',
    startTime: String(at.platform.zeroMs - 10 * MINUTE),
    endTime: String(at.platform.zeroMs + 20 * MINUTE),
  });
});

test('after chaos has begun, the drop since then', async () => {
  const since = new FakeClock().now() + 15 * MINUTE;
  await using at = await setUp({ chaosSinceMs: since });
  await at.clock.advance(20 * MINUTE);
  const burndown = [
    [4, 99],
    [14, 90],
    [17, 89],
    [20, 88.5],
  ] as const;
  at.platform.objectives.set('acme/default/shop/checkout', { burndown });
  assert.match(reasonOf(await at.measure()), /Actual value: 1\.5\./);
  // A window of its own looks elsewhere.
  const evaluationWindow = {
    evaluationStartTime: at.platform.zeroMs + 4 * MINUTE,
    evaluationEndTime: at.platform.zeroMs + 13 * MINUTE,
  };
  assert.match(reasonOf(await at.measure({}, { evaluationWindow })), /no two values/);
  const wider = { ...evaluationWindow, evaluationEndTime: at.platform.zeroMs + 14 * MINUTE };
  assert.match(reasonOf(await at.measure({}, { evaluationWindow: wider })), /Actual value: 9\./);
});

test('values that come late are waited for, up to evaluationTimeout', async () => {
  await using at = await setUp();
  await at.clock.advance(20 * MINUTE);
  const objective = { burndown: [[10, 99]] as [number, number][], calculating: false };
  at.platform.objectives.set('acme/default/shop/checkout', objective);
  const measuring = at.measure({ evaluationTimeout: '5m' });
  await at.paused();
  objective.burndown = [
    [10, 99],
    [15, 98.9],
  ];
  await at.clock.advance(10_000);
  await at.paused();
  // The platform corrects itself before it has come to the end of the window.
  objective.burndown = [
    [10, 99],
    [15, 98.9],
    [20, 90],
  ];
  objective.calculating = true;
  await at.clock.advance(10_000);
  await at.paused();
  objective.calculating = false;
  await at.clock.advance(10_000);
  assert.match(reasonOf(await measuring), /^SLO_PROBE_FAILURE: Actual value: 9\./);
  assert.equal(at.platform.peer.requests.length, 4);
  assert.equal(at.clock.pending, 0);

  // What never comes is judged by what there is, and is an error when that is nothing.
  objective.burndown = [[10, 99]];
  const inVain = at.measure({ evaluationTimeout: '15s' });
  await at.paused();
  await at.clock.advance(10_000);
  assert.match(
    reasonOf(await inVain),
    /^SLO_PROBE_ERROR: SLO 'checkout': .*no two values.*\(it has 1 around/,
  );
  assert.equal(at.clock.pending, 0);
});

test('a platform that is busy or broken is asked again while there is time, and then is an error', async () => {
  await using at = await setUp();
  await at.clock.advance(20 * MINUTE);
  const burndown = [
    [10, 99],
    [20, 99],
  ] as const;
  at.platform.objectives.set('acme/default/shop/checkout', { burndown });
  at.platform.nextStatuses.push(503, 429);
  const measuring = at.measure({ evaluationTimeout: '1m' });
  for (let time = 0; time < 2; time += 1) {
    await at.paused();
    await at.clock.advance(10_000);
  }
  assert.equal((await measuring).outcome, 'passed');
  at.platform.nextStatuses.push(503);
  assert.equal(reasonOf(await at.measure()), "SLO_PROBE_ERROR: SLO 'checkout': status 503: try later");
});

test('a request beyond probeTimeout is interrupted and fails', async () => {
  await using silent = await startPeer(() => {
    // Never answers.
  });
  await using at = await setUp();
  const closed = Promise.withResolvers<void>();
  silent.server.on('request', (request) => request.socket.on('close', () => closed.resolve()));
  const requested = new Promise((resolve) => silent.server.on('request', resolve));
  const measuring = at.measure({}, { platformEndpoint: silent.url });
  await requested;
  await at.clock.advance(1000);
  assert.equal(
    reasonOf(await measuring),
    "SLO_PROBE_FAILURE: probe failed due to timeout: SLO 'checkout': no answer in 1 s",
  );
  await closed.promise;
});

test('what keeps the probe from its answer is an error that says so', async () => {
  await using at = await setUp();
  await using shapeless = await startPeer((_, response) => response.end('{"status":"SUCCESS","data":{}}'));
  await using page = await startPeer((_, response) => response.end('<html>login</html>'));
  const source = (apiTokenSecret: string): Partial<SloProbeInputs> => ({
    sloSourceMetadata: {
      apiTokenSecret,
      scope: { accountIdentifier: 'acme', orgIdentifier: '', projectIdentifier: '' },
    },
  });
  const table: readonly [string, Partial<SloProbeInputs>, Partial<MeasureContext>, RegExp][] = [
    ['unreachable', { platformEndpoint: REFUSING_URL }, {}, /SLO 'checkout': GET .*ECONNREFUSED/],
    [
      'unknown objective',
      { sloIdentifier: 'cart' },
      {},
      /status 404: SLO cart is not present; check platformEnd/,
    ],
    [
      'no Secret',
      source('other'),
      {},
      /cannot read the API token: there is no Secret chaos\/other; sloSource/,
    ],
    ['no key', {}, { client: clientWith({ token: 'x' }) }, /has no key X-API-KEY \(keys: token\)/],
    [
      'wrong token',
      {},
      { client: clientWith({ 'X-API-KEY': 'x' }) },
      /status 401, the API token was not accepted/,
    ],
    ['other JSON', { platformEndpoint: shapeless.url }, {}, /no error budget in the answer: \{"status"/],
    ['a page', { platformEndpoint: page.url }, {}, /status 200: <html>login/],
  ];
  for (const [name, inputs, context, expected] of table) {
    await using other = await setUp(context);
    const platformEndpoint = inputs.platformEndpoint ?? at.platform.endpoint;
    const measurement = await other.measure({}, { ...inputs, platformEndpoint });
    assert.match(reasonOf(measurement), /^SLO_PROBE_ERROR: /, name);
    assert.match(reasonOf(measurement), expected, name);
  }
});

test('the token is not sent on to another server', async () => {
  const seen: (string | undefined)[] = [];
  await using elsewhere = await startPeer((request, response) => {
    seen.push(request.headers['x-api-key']?.toString());
    response.end('{}');
  });
  for (const status of [302, 307]) {
    await using redirecting = await startPeer((request, response) => {
      if (request.url?.startsWith('/moved') === true) seen.push(request.headers['x-api-key']?.toString());
      const location = request.url?.startsWith('/moved') === true ? elsewhere.url : '/moved';
      response.writeHead(status, { location }).end();
    });
    await using at = await setUp();
    assert.equal((await at.measure({}, { platformEndpoint: redirecting.url })).outcome, 'error');
  }
  assert.deepEqual(seen, [SLO_TOKEN, undefined, SLO_TOKEN, undefined]);
});
