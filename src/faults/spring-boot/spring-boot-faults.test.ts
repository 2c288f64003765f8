import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@turnsole/kube/base/clock';
import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import type { Fault, FaultContext, Injection } from '../../experiment/injection/fault.ts';
import { compileSettings } from '../../experiment/injection/settings/compile-settings.ts';
import { ask } from '../remote/ask.ts';
import { assaultsBody, parseArguments, restoringBody, watchersBody } from './assaults.ts';
import { configurationOf } from './chaos-monkey.ts';
import { endpointOf, monkeyPodOf } from './monkey-pod.ts';
import appKill from './spring-boot-app-kill.ts';
import cpuStress from './spring-boot-cpu-stress.ts';
import exceptions from './spring-boot-exceptions.ts';
import several from './spring-boot-faults.ts';
import latency from './spring-boot-latency.ts';
import memoryStress from './spring-boot-memory-stress.ts';

const MONKEY = fileURLToPath(new URL('../../../test/faults/support/chaos-monkey.mjs', import.meta.url));
const { signal } = new AbortController();

/** An application with a Chaos Monkey in a process of its own, and a cluster that has only its pod. */
interface Application {
  readonly base: string;
  readonly process: ChildProcess;
  pod: Pod | undefined;
  /** The endpoint's answer about its settings. */
  settings(): Promise<unknown>;
  call(): Promise<string>;
  contextOf(fault: Fault, env?: Record<string, string>): FaultContext;
  plan(fault: Fault, env?: Record<string, string>): Promise<Injection>;
  env: Record<string, string>;
}

async function application(t: TestContext, env: Record<string, string> = {}): Promise<Application> {
  const child = spawn(process.execPath, [MONKEY], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
  const base = endpointOf('127.0.0.1', Number(port), env.CM_PATH ?? '/actuator/chaosmonkey');
  const app: Application = {
    base,
    process: child,
    env: { CM_PORT: port, CM_WATCHERS: 'restController' },
    pod: {
      metadata: { name: 'web', namespace: 'shop', uid: 'u' },
      spec: { containers: [{ name: 'app', ports: [{ containerPort: Number(port) }] }] },
      status: {
        phase: 'Running',
        podIP: '127.0.0.1',
        containerStatuses: [
          {
            name: 'app',
            ready: true,
            restartCount: 0,
            image: '',
            imageID: '',
            containerID: 'containerd://1',
            state: { running: { startedAt: '2030-01-01T00:00:00Z' } },
          },
        ],
      },
    },
    settings: async () => JSON.parse((await ask({ url: base, signal })).text),
    call: async () => {
      const { status, text } = await ask({ url: `http://127.0.0.1:${port}/call`, signal });
      return `${status} ${text}`;
    },
    contextOf: (fault, change = {}) => ({
      // The faults look at the pod only.
      client: { find: async () => app.pod } as unknown as KubeClient,
      clock: systemClock,
      random: () => 0,
      signal,
      recoveryTimeoutMs: 1_000,
      note: () => {},
      tunables: compileSettings(fault, { ...app.env, ...change }, () => 0).settings.tunables,
    }),
    plan: async (fault, change) => {
      const context = app.contextOf(fault, change);
      const target = { kind: 'pod', namespace: 'shop', name: 'web', uid: 'u' };
      const observed = await fault.observe?.(target, context);
      const [injection] = fault.plan({
        tunables: context.tunables ?? {},
        targets: [{ ...target, ...(observed === undefined ? {} : { observed }) }],
        round: 0,
        random: () => 0,
      });
      assert.ok(injection !== undefined);
      // As it comes out of the ledger.
      return JSON.parse(JSON.stringify({ ...injection, id: `run.r0.${Math.random()}` }));
    },
  };
  return app;
}

const COMMON = { level: 1, deterministic: true, watchedCustomServices: [] };
const EVERY_SECOND = '*/1 * * * * ?';
const EXCEPTION = {
  CM_EXCEPTIONS_TYPE: 'java.lang.IllegalStateException',
  CM_EXCEPTIONS_ARGUMENTS: 'java.lang.String:not: today,java.lang.String:really',
};

const BODIES: readonly [string, Fault, Record<string, string>, Record<string, unknown>][] = [
  [
    'latency',
    latency,
    { LATENCY: '300' },
    { latencyActive: true, latencyRangeStart: 300, latencyRangeEnd: 300 },
  ],
  ['exceptions without a type', exceptions, {}, { exceptionsActive: true }],
  [
    'exceptions',
    exceptions,
    EXCEPTION,
    {
      exceptionsActive: true,
      exception: {
        type: 'java.lang.IllegalStateException',
        arguments: [
          { className: 'java.lang.String', value: 'not: today' },
          { className: 'java.lang.String', value: 'really' },
        ],
      },
    },
  ],
  ['kill', appKill, {}, { killApplicationActive: true, killApplicationCronExpression: EVERY_SECOND }],
  [
    'memory',
    memoryStress,
    { TOTAL_CHAOS_DURATION: '7' },
    {
      memoryActive: true,
      memoryMillisecondsHoldFilledMemory: 7000,
      memoryMillisecondsWaitNextIncrease: 1000,
      memoryFillIncrementFraction: 1,
      memoryFillTargetFraction: 0.7,
      memoryCronExpression: EVERY_SECOND,
    },
  ],
  [
    'cpu',
    cpuStress,
    { CPU_LOAD_FRACTION: '0.5' },
    {
      cpuActive: true,
      cpuMillisecondsHoldLoad: 30_000,
      cpuLoadTargetFraction: 0.5,
      cpuCronExpression: EVERY_SECOND,
    },
  ],
  [
    'several',
    several,
    { CM_LATENCY_ACTIVE: 'true', CM_KILL_APPLICATION_ACTIVE: 'true' },
    {
      killApplicationActive: true,
      killApplicationCronExpression: EVERY_SECOND,
      latencyActive: true,
      latencyRangeStart: 2000,
      latencyRangeEnd: 2000,
    },
  ],
];

test('each assault is put back to what it was, in every setting that it changed', async (t) => {
  for (const [name, fault, env, body] of BODIES) {
    await t.test(name, async (t) => {
      const app = await application(t);
      const before = await app.settings();
      const injection = await app.plan(fault, env);
      assert.deepEqual(injection.parameters.assaults, { ...COMMON, ...body });
      const context = app.contextOf(fault, env);
      // It would not be there to be asked; see below.
      if ('killApplicationActive' in body) return;
      await fault.inject(injection, context);
      const during = (await app.settings()) as { assaultProperties: Record<string, unknown> };
      for (const [key, value] of Object.entries(body)) assert.deepEqual(during.assaultProperties[key], value);
      await fault.inject(injection, context);
      const attacks = JSON.parse((await ask({ url: app.base.replace(/\/act.*/, '/attacks'), signal })).text);
      assert.ok(attacks.length <= 1, `attacked ${attacks} although it was ordered once`);
      await fault.revert(injection, context);
      await fault.revert(injection, context);
      const after = (await app.settings()) as { assaultProperties: Record<string, unknown> };
      // The type of an exception cannot be unset; it has no effect while none is thrown.
      const { exception } = after.assaultProperties;
      after.assaultProperties.exception = { type: null, arguments: null };
      after.assaultProperties.watchedCustomServices = null;
      assert.deepEqual(after, before);
      if (!('exception' in body)) assert.deepEqual(exception, { type: null, arguments: null });
    });
  }
});

test('a Chaos Monkey that was on before is on afterwards, and calls are hit only in between', async (t) => {
  const app = await application(t, { CM_ENABLED: 'true' });
  const env = { ...EXCEPTION, CM_LEVEL: '1' };
  const injection = await app.plan(exceptions, env);
  assert.equal(await app.call(), '200 hello');
  await exceptions.inject(injection, app.contextOf(exceptions, env));
  assert.equal(await app.call(), '500 java.lang.IllegalStateException: not: today,really');
  await exceptions.revert(injection, app.contextOf(exceptions));
  assert.equal(await app.call(), '200 hello');
  assert.deepEqual(((await app.settings()) as { chaosMonkeyProperties: unknown }).chaosMonkeyProperties, {
    enabled: true,
  });
});

test('reverting without having injected changes nothing', async (t) => {
  const app = await application(t);
  const injection = await app.plan(latency);
  const before = await app.settings();
  await latency.revert(injection, app.contextOf(latency));
  const after = (await app.settings()) as { assaultProperties: Record<string, unknown> };
  after.assaultProperties.watchedCustomServices = null;
  assert.deepEqual(after, before);
});

test('the application is killed, and one that has restarted needs no revert', async (t) => {
  const app = await application(t);
  const injection = await app.plan(appKill);
  const ended = once(app.process, 'exit');
  await appKill.inject(injection, app.contextOf(appKill));
  await ended;
  // The kubelet has started it again; it does not answer yet.
  const status = app.pod?.status?.containerStatuses?.[0];
  assert.ok(status !== undefined);
  Object.assign(status, { containerID: 'containerd://2' });
  await appKill.revert(injection, app.contextOf(appKill));
});

test('an application that cannot be asked any more: gone is well, silent is not', async (t) => {
  const app = await application(t);
  const injection = await app.plan(latency);
  await latency.inject(injection, app.contextOf(latency));
  const ended = once(app.process, 'exit');
  app.process.kill('SIGKILL');
  await ended;
  await assert.rejects(latency.revert(injection, app.contextOf(latency)), {
    code: 'CHAOS_REVERT_ERROR',
    message: /cannot end the assault on pod shop\/web: POST .*ECONNREFUSED.*; restarting the pod ends it/,
  });
  app.pod = undefined;
  await latency.revert(injection, app.contextOf(latency));
  await assert.rejects(latency.inject(injection, app.contextOf(latency)), /pod shop\/web is gone meanwhile/);
});

test('what the Chaos Monkey refuses ends the run with its words', async (t) => {
  const app = await application(t);
  const env = { CM_EXCEPTIONS_TYPE: 'com.shop.NoSuchClass' };
  const injection = await app.plan(exceptions, env);
  await assert.rejects(exceptions.inject(injection, app.contextOf(exceptions, env)), {
    code: 'CHAOS_INJECT_ERROR',
    message: /POST http:.*\/assaults: status 400: exception is not valid/,
  });
});

test('what is refused before any order', async (t) => {
  const app = await application(t, { CM_SERVICE: 'false' });
  const cases: readonly [string, Fault, Record<string, string>, (pod: Pod) => void, RegExp, string][] = [
    [
      'another path',
      latency,
      { CM_PATH: '/other' },
      () => {},
      /no Chaos Monkey answers.*404/,
      'STATUS_CHECKS_ERROR',
    ],
    [
      'no listener',
      latency,
      { CM_PORT: '1' },
      () => {},
      /no Chaos Monkey answers there.*ECONNREFUSED/,
      'STATUS_CHECKS_ERROR',
    ],
    [
      'nothing watched',
      latency,
      { CM_WATCHERS: '' },
      () => {},
      /no call would be hit; set CM_WATCHERS/,
      'CHAOS_INJECT_ERROR',
    ],
    ['no assault', several, {}, () => {}, /set at least one of CM_LATENCY_ACTIVE/, 'GENERIC_ERROR'],
    [
      'another incarnation',
      latency,
      {},
      (pod) => Object.assign(pod.metadata, { uid: 'v' }),
      /it is gone, or was replaced/,
      'CHAOS_INJECT_ERROR',
    ],
    [
      'not running',
      latency,
      {},
      (pod) => Object.assign(pod.status?.containerStatuses?.[0] ?? {}, { state: { waiting: {} } }),
      /container app is not running/,
      'CHAOS_INJECT_ERROR',
    ],
    [
      'nothing would restart it',
      appKill,
      {},
      (pod) => Object.assign(pod.spec ?? {}, { restartPolicy: 'Never' }),
      /its restartPolicy is Never/,
      'CHAOS_INJECT_ERROR',
    ],
  ];
  for (const [name, fault, env, change, message, code] of cases) {
    await t.test(name, async () => {
      const kept = structuredClone(app.pod);
      if (app.pod !== undefined) change(app.pod);
      await assert.rejects(app.plan(fault, env), { code, message });
      app.pod = kept;
    });
  }
});

test('settings that cannot be used, by name', async (t) => {
  const cases: readonly [Fault, Record<string, string>, string][] = [
    [latency, { LATENCY: '-1' }, 'LATENCY'],
    [latency, { CM_PORT: '70000' }, 'CM_PORT'],
    [latency, { CM_PATH: 'actuator' }, 'CM_PATH'],
    [latency, { CM_LEVEL: '0' }, 'CM_LEVEL'],
    [latency, { CM_WATCHERS: 'restController,rest' }, 'CM_WATCHERS'],
    [memoryStress, { MEMORY_FILL_FRACTION: '70' }, 'MEMORY_FILL_FRACTION'],
    [cpuStress, { CPU_LOAD_FRACTION: '0' }, 'CPU_LOAD_FRACTION'],
    [exceptions, { CM_EXCEPTIONS_TYPE: 'a.B', CM_EXCEPTIONS_ARGUMENTS: 'a.B' }, 'CM_EXCEPTIONS_ARGUMENTS'],
    [exceptions, { CM_EXCEPTIONS_ARGUMENTS: 'a.B:c' }, 'CM_EXCEPTIONS_TYPE'],
    [several, { CM_LATENCY_ACTIVE: 'perhaps' }, 'CM_LATENCY_ACTIVE'],
  ];
  for (const [fault, env, variable] of cases) {
    await t.test(`${fault.name} ${JSON.stringify(env)}`, () => {
      const { problems } = compileSettings(fault, env, () => 0);
      assert.deepEqual(
        problems.map((problem) => problem.variable),
        [variable],
      );
    });
  }
});

test('small parts', () => {
  assert.deepEqual(parseArguments(' a.B:1 , c.D:'), [
    { className: 'a.B', value: '1 ' },
    { className: 'c.D', value: '' },
  ]);
  assert.deepEqual(parseArguments(''), []);
  assert.equal(parseArguments(':x'), undefined);
  assert.equal(watchersBody([]), undefined);
  assert.deepEqual(watchersBody(['service'])?.service, true);
  assert.equal('actuatorHealth' in (watchersBody(['service']) ?? {}), false);
  assert.equal(watchersBody(['actuatorHealth'])?.actuatorHealth, true);
  const changed = assaultsBody({ level: 2, services: ['a'], durationSeconds: 1, latencyMs: 5 });
  assert.deepEqual(restoringBody(changed, undefined), { watchedCustomServices: [], latencyActive: false });
  assert.deepEqual(restoringBody(changed, { level: 9, latencyActive: true, cpuActive: true }), {
    level: 9,
    watchedCustomServices: [],
    latencyActive: true,
  });
  assert.deepEqual(configurationOf('not found'), {});
  assert.equal(endpointOf('fd00::1', 80, '/m/'), 'http://[fd00::1]:80/m');
  const two = {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'a' }, { name: 'b', ports: [{ containerPort: 7 }] }] },
  };
  assert.equal(`${monkeyPodOf(two, 7).container} ${monkeyPodOf(two, 8).container}`, 'b a');
});
