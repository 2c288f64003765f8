/** Faults by an application's own Chaos Monkey: what its callers see while they last, and afterwards. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { ChaosResult } from '../../src/api/index.ts';
import { ask } from '../../src/faults/remote/ask.ts';
import { firstProcessOf } from '../support/first-process.ts';
import { eventually } from './support/cgroup-meter.ts';
import { effectsImpossible, FaultCluster, isReady, LOOKED_AT_SECONDS } from './support/fault-cluster.ts';

const MONKEY = readFileSync(new URL('./support/chaos-monkey.mjs', import.meta.url), 'utf8');
const APPLICATION = {
  image: 'node',
  command: ['node', '--input-type=module', '-e', MONKEY],
  env: [{ name: 'PORT', value: '8080' }],
  ports: [{ containerPort: 8080 }],
  readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
};
const { signal } = new AbortController();

describe('spring-boot faults', { skip: effectsImpossible, concurrency: 2 }, () => {
  let cluster: FaultCluster;
  before(async () => {
    cluster = await FaultCluster.start();
  });
  after(() => cluster?.close());

  const get = async (pod: Pod, path: string): Promise<string> => {
    const { status, text } = await ask({ url: `http://${pod.status?.podIP}:8080${path}`, signal });
    return `${status} ${text}`;
  };
  /** What was never set cannot be unset: it is set to its default, which means the same. */
  const settings = async (pod: Pod): Promise<string> => {
    const text = await get(pod, '/actuator/chaosmonkey');
    return text
      .replace('"watchedCustomServices":[]', '"watchedCustomServices":null')
      .replace(/"exception":\{.*?\}/, '"exception":null');
  };

  async function applications(names: readonly string[]) {
    const namespace = await cluster.namespace();
    const pods = await Promise.all(names.map((name) => cluster.pod(namespace, name, APPLICATION)));
    return { namespace, pods };
  }

  function verdictOf({ status }: ChaosResult): string {
    const { verdict, errorOutput } = status?.experimentStatus ?? {};
    return `${verdict} ${errorOutput?.errorCode ?? ''}`.trim();
  }

  test('calls wait in all pods at once, and after an abort in none; each is set as it was before', async () => {
    const { namespace, pods } = await applications(['one', 'two']);
    const before = await Promise.all(pods.map(settings));
    const run = await cluster.run('spring-boot-latency', {
      namespace,
      pods: ['one', 'two'],
      env: {
        LATENCY: '700',
        CM_WATCHERS: 'restController',
        SEQUENCE: 'parallel',
        TOTAL_CHAOS_DURATION: '60',
        PODS_AFFECTED_PERC: '100',
      },
    });
    await run.injected();
    for (const pod of pods) {
      const startedAt = performance.now();
      assert.equal(await get(pod, '/call'), '200 hello');
      const ms = performance.now() - startedAt;
      assert.ok(ms >= 699 && ms < 2_000, `${ms} ms in place of 700`);
    }
    await run.abort();
    const result = await run.ended();
    assert.equal(verdictOf(result), 'Stopped');
    assert.deepEqual(
      result.status?.history?.targets?.map(({ name, chaosStatus }) => `${name} ${chaosStatus}`).sort(),
      ['one reverted', 'two reverted'],
    );
    assert.deepEqual(await Promise.all(pods.map(settings)), before);
  });

  test('calls throw, also after the application has restarted', async () => {
    const {
      namespace,
      pods: [pod],
    } = await applications(['web']);
    assert.ok(pod !== undefined);
    const run = await cluster.run('spring-boot-exceptions', {
      namespace,
      pods: ['web'],
      env: {
        CM_EXCEPTIONS_TYPE: 'java.lang.IllegalArgumentException',
        CM_EXCEPTIONS_ARGUMENTS: 'java.lang.String:custom illegal argument exception',
        CM_WATCHERS: 'restController',
        TOTAL_CHAOS_DURATION: '60',
      },
    });
    await run.injected();
    const thrown = '500 java.lang.IllegalArgumentException: custom illegal argument exception';
    assert.equal(await get(pod, '/call'), thrown);
    process.kill(await firstProcessOf(pod), 'SIGKILL');
    await cluster.until(
      namespace,
      'web',
      (one) => isReady(one) && one.status?.containerStatuses?.[0]?.restartCount === 1,
    );
    await eventually(
      'the application that restarted is assailed',
      async () => (await get(pod, '/call')) === thrown,
    );
    await run.abort();
    assert.equal(verdictOf(await run.ended()), 'Stopped');
    assert.equal(await get(pod, '/call'), '200 hello');
  });

  test('an experiment that is killed: a recovery puts the application back as it was', async () => {
    const {
      namespace,
      pods: [pod],
    } = await applications(['web']);
    assert.ok(pod !== undefined);
    const before = await settings(pod);
    const run = await cluster.run('spring-boot-latency', {
      namespace,
      pods: ['web'],
      env: { LATENCY: '100', CM_WATCHERS: 'restController', TOTAL_CHAOS_DURATION: '120' },
    });
    await run.injected();
    assert.notEqual(await settings(pod), before);
    await cluster.killExperiment(namespace);
    await eventually('it is as before', async () => (await settings(pod)) === before);
    assert.match(verdictOf(await run.ended()), /^Error/);
  });

  test('the application is ended once, comes back, and the run passes', async () => {
    const {
      namespace,
      pods: [pod],
    } = await applications(['web']);
    assert.ok(pod !== undefined);
    const run = await cluster.run('spring-boot-app-kill', {
      namespace,
      pods: ['web'],
      env: { TOTAL_CHAOS_DURATION: '3' },
    });
    const result = await run.ended();
    assert.equal(verdictOf(result), 'Pass', JSON.stringify(result.status));
    // A kubelet may not have told yet that it had ended.
    const restarts = ({ status }: Pod): number => status?.containerStatuses?.[0]?.restartCount ?? 0;
    const now = await cluster.until(namespace, 'web', (one) => isReady(one) && restarts(one) > 0);
    assert.equal(restarts(now), 1);
    assert.equal(await get(now, '/call'), '200 hello');
  });

  const attacks: readonly (readonly [string, Record<string, string>, string])[] = [
    ['spring-boot-cpu-stress', { CPU_LOAD_FRACTION: '0.4' }, '["cpu 0.4"]'],
    ['spring-boot-memory-stress', { MEMORY_FILL_FRACTION: '0.3' }, '["memory 0.3"]'],
    [
      'spring-boot-faults',
      { CM_MEMORY_ACTIVE: 'true', CM_CPU_ACTIVE: 'true', CPU_LOAD_FRACTION: '0.5' },
      '["memory 0.7","cpu 0.5"]',
    ],
  ];
  for (const [fault, env, expected] of attacks) {
    test(`${fault}: memory and CPUs are attacked once, as set`, async () => {
      const {
        namespace,
        pods: [pod],
      } = await applications(['web']);
      assert.ok(pod !== undefined);
      const run = await cluster.run(fault, {
        namespace,
        pods: ['web'],
        env: { TOTAL_CHAOS_DURATION: '2', ...env },
      });
      const result = await run.ended();
      assert.equal(verdictOf(result), 'Pass', JSON.stringify(result.status));
      assert.equal(await get(pod, '/attacks'), `200 ${expected}`);
      assert.match(await settings(pod), /"enabled":false.*"memoryActive":false.*"cpuActive":false/);
    });
  }

  test('one pod without a Chaos Monkey: none is touched; one that refuses: the others are put back', async () => {
    const { namespace, pods } = await applications(['one', 'two']);
    await cluster.pod(namespace, 'plain', {
      image: 'node',
      command: ['node', '-e', "require('http').createServer((_, response) => response.end()).listen(9999)"],
    });
    const env = {
      CM_WATCHERS: 'restController',
      SEQUENCE: 'parallel',
      PODS_AFFECTED_PERC: '100',
      TOTAL_CHAOS_DURATION: '30',
    };
    const before = await Promise.all(pods.map(settings));
    const none = await cluster.run('spring-boot-latency', { namespace, pods: ['one', 'plain'], env });
    assert.equal(verdictOf(await none.ended()), 'Error STATUS_CHECKS_ERROR');
    assert.deepEqual(await Promise.all(pods.map(settings)), before);
    await cluster.pod(namespace, 'wary', {
      ...APPLICATION,
      env: [...APPLICATION.env, { name: 'CM_REFUSES', value: 'true' }],
    });
    const refused = await cluster.run('spring-boot-exceptions', {
      namespace,
      pods: ['one', 'two', 'wary'],
      env,
    });
    const result = await refused.ended();
    assert.equal(verdictOf(result), 'Error CHAOS_INJECT_ERROR');
    assert.match(
      result.status?.experimentStatus?.errorOutput?.reason ?? '',
      /status 400: everything is not valid/,
    );
    const states = Object.values(result.status?.ledger ?? {}).map(
      ({ target, state }) => `${target.name} ${state}`,
    );
    assert.deepEqual(states.sort(), ['one reverted', 'two reverted', 'wary reverted']);
    assert.deepEqual(await Promise.all(pods.map(settings)), before);
  });

  test('a pod that is deleted in the middle leaves nothing to revert, and the others go on', async () => {
    const { namespace, pods } = await applications(['one', 'two']);
    const [, two] = pods;
    assert.ok(two !== undefined);
    const run = await cluster.run('spring-boot-latency', {
      namespace,
      pods: ['one', 'two'],
      // Nothing takes the place of a pod without a workload.
      engine: { minimumCoverage: 0 },
      env: {
        LATENCY: '100',
        CM_WATCHERS: 'restController',
        SEQUENCE: 'parallel',
        PODS_AFFECTED_PERC: '100',
        TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS,
      },
    });
    await run.injected();
    await cluster.client.delete(PODS, 'one', { namespace });
    const result = await run.ended();
    assert.equal(verdictOf(result), 'Pass', JSON.stringify(result.status));
    assert.ok(result.status?.timeline?.some(({ step }) => step === 'TargetGone'));
    assert.match(await settings(two), /"enabled":false.*"latencyActive":false/);
  });
});
