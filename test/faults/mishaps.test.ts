/**
 * What happens to the world while a fault by helpers is in force: a target vanishes, one of several cannot be hit, a helper is
 * killed for want of memory, a disk is full, a node goes. The run ends with the verdict that this deserves, the others go on, and
 * nothing stays behind.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Pod } from '@turnsole/kube/kinds/core';
import { NODES, PODS } from '@turnsole/kube/kinds/resources';
import { waitForList, waitForObject } from '@turnsole/kube/runtime/wait';
import { type ChaosResult, isOpen, type LedgerEntry } from '../../src/api/index.ts';
import { cgroupFoldersOf } from '../../src/experiment/node/cgroup-folders.ts';
import { firstProcessOf } from '../support/first-process.ts';
import { ContainerMeter, processesWith } from './support/cgroup-meter.ts';
import {
  effectsImpossible,
  FaultCluster,
  LIMIT_MS,
  LOOKED_AT_SECONDS,
  ownNodesImpossible,
  sideBySide,
} from './support/fault-cluster.ts';

const exec = promisify(execFile);
const SERVER = "require('http').createServer((_, response) => response.end('hello')).listen(8080)";
const WEB = {
  image: 'node',
  command: ['node', '-e', SERVER],
  readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
  resources: { limits: { 'ephemeral-storage': '100Mi' } },
};

/** A fault of each family, with what it needs. */
const FAMILIES: readonly [string, Record<string, string>][] = [
  ['pod-http-status-code', { TARGET_SERVICE_PORT: '8080', STATUS_CODE: '500' }],
  ['pod-dns-error', {}],
  ['pod-network-rate-limit', { NETWORK_BANDWIDTH: '1mbit' }],
  ['pod-cpu-hog', { CPU_CORES: '1', CPU_LOAD: '10' }],
  ['disk-fill', { FILL_PERCENTAGE: '20' }],
];

describe('mishaps', { skip: effectsImpossible, concurrency: sideBySide(4, 2) }, () => {
  let cluster: FaultCluster;
  /** The same node where there is only one. */
  let first = '';
  let second = '';
  before(async () => {
    cluster = await FaultCluster.start(2);
    first = cluster.nodes[0] ?? '';
    second = cluster.nodes.at(-1) ?? '';
  });
  after(() => cluster?.close());

  const onNode = (name: string, node: string, namespace: string, change: object = {}): Promise<Pod> =>
    cluster.pod(namespace, name, { ...WEB, ...change }, { nodeName: node });

  test('container-kill of a process that ignores the signal says so, and not that the helper was late', async () => {
    const namespace = await cluster.namespace();
    const stubborn = ['/bin/sh', '-c', "trap '' TERM; while :; do sleep 1; done"];
    await cluster.pod(namespace, 'stubborn', { command: stubborn });
    const run = await cluster.run('container-kill', {
      namespace,
      pods: ['stubborn'],
      env: { SIGNAL: 'SIGTERM', TOTAL_CHAOS_DURATION: '1', STATUS_CHECK_TIMEOUT: '3' },
    });
    const { status } = await run.ended();
    const { verdict, errorOutput } = status?.experimentStatus ?? {};
    assert.deepEqual([verdict, errorOutput?.errorCode], ['Error', 'STATUS_CHECKS_ERROR']);
    assert.match(errorOutput?.reason ?? '', /stubborn is still the same container 3 s after SIGTERM/);
    assert.doesNotMatch(errorOutput?.reason ?? '', /did not start or end in time/);
  });

  /** Queues, tables and further processes of a pod: what faults leave when they leave something. */
  async function traces(pod: Pod): Promise<string> {
    const pid = String(await firstProcessOf(pod));
    // The cluster is in this process: nothing may hold it up.
    const inside = async (...words: string[]): Promise<string> =>
      (await exec('nsenter', ['-t', pid, '-n', ...words])).stdout;
    const { length } = (await ContainerMeter.of(pod)).processes();
    const found = [await inside('tc', 'qdisc', 'show'), await inside('nft', 'list', 'tables')];
    return [...found, `${length} processes`].join('\n');
  }

  const verdictOf = ({ status }: ChaosResult): string => {
    const { verdict, errorOutput } = status?.experimentStatus ?? {};
    return `${verdict} ${errorOutput?.errorCode ?? ''}`.trim();
  };
  const reasonOf = ({ status }: ChaosResult): string => status?.experimentStatus?.errorOutput?.reason ?? '';
  const statesOf = ({ status }: ChaosResult): string[] =>
    Object.values(status?.ledger ?? {})
      .map(({ target, state }: LedgerEntry) => `${target.name} ${state}`)
      .sort();

  /** The helper of a run on a node, which is at work. */
  async function helperOn(namespace: string, node: string): Promise<Pod> {
    const isHelper = ({ metadata, spec, status }: Pod): boolean =>
      metadata.name.includes('-helper-') && spec?.nodeName === node && status?.phase === 'Running';
    const pods = await waitForList<Pod>(cluster.client, PODS, (all) => all.some(isHelper), {
      namespace,
      timeoutMs: LIMIT_MS,
    });
    const helper = pods.find(isHelper);
    assert.ok(helper);
    return helper;
  }

  // The longest of all: it begins first.
  test('a node goes away: the run is an error that names it, the other node is hit to the end and put back', {
    skip: ownNodesImpossible,
  }, async () => {
    // A cluster of its own: its second node is switched off, which is noticed soon.
    const own = await FaultCluster.start(2, undefined, { nodeGraceMs: 8_000 });
    try {
      const namespace = await own.namespace();
      const stays = await own.pod(namespace, 'stays', WEB, { nodeName: first });
      await own.pod(namespace, 'goes', WEB, { nodeName: second });
      // Runner and experiment stay where the lights are on.
      await own.client.patch(NODES, second, 'merge', { spec: { unschedulable: true } });
      const before = await traces(stays);
      const run = await own.run('pod-http-status-code', {
        namespace,
        pods: ['stays', 'goes'],
        env: {
          TARGET_SERVICE_PORT: '8080',
          STATUS_CODE: '500',
          TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS,
        },
      });
      await run.injected(2);
      const offAtMs = Date.now();
      const annotations = { 'turnsole.io/node-agent': 'off' };
      await own.client.patch(NODES, second, 'merge', { metadata: { annotations } });
      const result = await run.ended(120_000);
      assert.match(verdictOf(result), /^Error /, JSON.stringify(result.status));
      assert.match(reasonOf(result), new RegExp(second));
      const states = statesOf(result);
      assert.ok(states.includes('stays reverted'), states.join());
      assert.equal(await traces(stays), before);
      const entries = Object.values(result.status?.ledger ?? {});
      const [window] = entries.find(({ target }) => target.name === 'goes')?.inForce ?? [];
      assert.equal(window?.ended, 'HelperLost', JSON.stringify(entries));
      // What nothing is known of does not count, although the helper is waited for until after its time.
      const claimedMs = Date.parse(window?.to ?? '') - offAtMs;
      assert.ok(claimedMs < 16_000, `in force for ${claimedMs} ms after the node was switched off`);
      assert.deepEqual(
        processesWith(/TURNSOLE_ASSIGNMENT=/, new RegExp(`CHAOS_NAMESPACE=${namespace}\\0`)),
        [],
      );
    } finally {
      await own.close();
    }
  });

  for (const [fault, env] of FAMILIES) {
    test(`${fault}: a target vanishes in the middle, the other is hit to the end`, async () => {
      const namespace = await cluster.namespace();
      const stays = await onNode('stays', first, namespace);
      await onNode('goes', first, namespace);
      const before = await traces(stays);
      const run = await cluster.run(fault, {
        namespace,
        pods: ['stays', 'goes'],
        // Nothing takes the place of a pod without a workload.
        engine: { minimumCoverage: 0 },
        env: { ...env, TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS },
      });
      await run.injected(2);
      await cluster.client.delete(PODS, 'goes', { namespace, gracePeriodSeconds: 0 });
      await waitForObject(cluster.client, PODS, 'goes', (pod) => pod === undefined, {
        namespace,
        timeoutMs: LIMIT_MS,
      });
      const result = await run.ended();
      assert.equal(verdictOf(result), 'Pass', JSON.stringify(result.status));
      assert.deepEqual(statesOf(result), ['goes reverted', 'stays reverted']);
      const kept = Object.values(result.status?.ledger ?? {}).find(({ target }) => target.name === 'stays');
      const heldMs = Date.parse(kept?.revertedAt ?? '') - Date.parse(kept?.injectedAt ?? '');
      const wanted = Number(LOOKED_AT_SECONDS);
      assert.ok(heldMs >= wanted * 1000 - 100, `held for ${heldMs} ms of ${wanted} s`);
      assert.equal(await traces(stays), before);
    });
  }

  test('one of several cannot be hit: those before it are put back, and the error names it', async () => {
    const namespace = await cluster.namespace();
    const names = ['a', 'b', 'c'];
    const pods = await Promise.all([
      onNode('a', first, namespace),
      onNode('b', second, namespace),
      // Its port is taken by something that only shows when the proxy wants it.
      onNode('c', first, namespace, {
        command: ['node', '-e', `${SERVER}; require('net').createServer().listen(20000)`],
      }),
    ]);
    const before = await Promise.all(pods.map(traces));
    for (const sequence of ['parallel', 'serial']) {
      const run = await cluster.run('pod-http-status-code', {
        namespace,
        pods: names,
        env: {
          TARGET_SERVICE_PORT: '8080',
          STATUS_CODE: '500',
          SEQUENCE: sequence,
          // Serial takes as long for each.
          TOTAL_CHAOS_DURATION: sequence === 'serial' ? '1' : '30',
        },
      });
      const result = await run.ended();
      assert.equal(verdictOf(result), 'Error CHAOS_INJECT_ERROR', JSON.stringify(result.status));
      assert.match(reasonOf(result), /20000/);
      assert.match(reasonOf(result), /podName: c, /);
      for (const state of statesOf(result)) assert.match(state, /reverted$/);
      assert.deepEqual(await Promise.all(pods.map(traces)), before, sequence);
    }
  });

  test('a helper that is killed for want of memory is made good for, and the other node goes on', {
    skip: ownNodesImpossible,
  }, async () => {
    const namespace = await cluster.namespace();
    const one = await onNode('one', first, namespace);
    const two = await onNode('two', second, namespace);
    const before = await Promise.all([one, two].map(traces));
    const run = await cluster.run('pod-network-rate-limit', {
      namespace,
      pods: ['one', 'two'],
      env: { NETWORK_BANDWIDTH: '1mbit', TOTAL_CHAOS_DURATION: '12' },
    });
    await run.injected(2);
    assert.notEqual(await traces(one), before[0]);
    const helper = await helperOn(namespace, first);
    await exhaustMemory(await firstProcessOf(helper));
    const ended = await cluster.until(
      namespace,
      helper.metadata.name,
      ({ status }) => status?.containerStatuses?.[0]?.state?.terminated !== undefined,
    );
    assert.equal(ended.status?.containerStatuses?.[0]?.state?.terminated?.reason, 'OOMKilled');
    const result = await run.ended();
    assert.equal(verdictOf(result), 'Error HELPER_ERROR', JSON.stringify(result.status));
    assert.match(reasonOf(result), /OOMKilled, exit code 137/);
    assert.deepEqual(statesOf(result), ['one reverted', 'two reverted']);
    const held = new Map(
      Object.values(result.status?.ledger ?? {}).map(({ target, injectedAt, revertedAt }) => [
        target.name,
        Date.parse(revertedAt ?? '') - Date.parse(injectedAt ?? ''),
      ]),
    );
    assert.ok((held.get('two') ?? 0) >= 11_900, `the other was held for ${held.get('two')} ms of 12000`);
    assert.deepEqual(await Promise.all([one, two].map(traces)), before);
  });

  for (const [fault, env] of [
    ['pod-network-rate-limit', { NETWORK_BANDWIDTH: '1mbit' }],
    ['container-kill', { CHAOS_INTERVAL: '2' }],
  ] as const) {
    test(`${fault}: an experiment that stands still for longer than its lease has had less chaos than asked for, and says so`, async () => {
      const namespace = await cluster.namespace();
      const pod = await onNode('one', first, namespace);
      const before = await traces(pod);
      const run = await cluster.run(fault, {
        namespace,
        pods: ['one'],
        // Long enough for an API server on a busy machine to answer within it.
        env: { ...env, TOTAL_CHAOS_DURATION: '60', LEASE_SECONDS: '12' },
      });
      await run.until(({ status }) =>
        Object.values(status?.ledger ?? {}).some(({ state }) => state === 'injected' || state === 'done'),
      );
      const [experiment, helper] = await Promise.all([
        cluster.experimentProcess(namespace),
        cluster.helperProcess(namespace),
      ]);
      process.kill(experiment, 'SIGSTOP');
      try {
        for (const until = performance.now() + 30_000; existsSync(`/proc/${helper}`); ) {
          assert.ok(performance.now() < until, 'its helper goes on');
          await delay(20);
        }
      } finally {
        process.kill(experiment, 'SIGCONT');
      }
      const result = await run.ended();
      assert.equal(verdictOf(result), 'Error HELPER_ERROR', JSON.stringify(result.status));
      assert.match(reasonOf(result), /no sign of life for 12 s, so that the fault was ended before its time/);
      const open = Object.values(result.status?.ledger ?? {}).filter(isOpen);
      assert.deepEqual(open, []);
      if (fault !== 'container-kill') assert.equal(await traces(pod), before);
    });
  }

  test('a helper without enough memory to start ends the run, and says why', async () => {
    const namespace = await cluster.namespace();
    const pod = await onNode('one', first, namespace);
    const before = await traces(pod);
    const run = await cluster.run('pod-network-rate-limit', {
      namespace,
      pods: ['one'],
      // A kubelet may tell of the helper when it has started after all.
      env: { NETWORK_BANDWIDTH: '1mbit', TOTAL_CHAOS_DURATION: '60' },
    });
    const helper = await helperOn(namespace, first);
    await exhaustMemory(await firstProcessOf(helper));
    const result = await run.ended();
    assert.equal(verdictOf(result), 'Error HELPER_ERROR', JSON.stringify(result.status));
    assert.match(reasonOf(result), /OOMKilled, exit code 137/);
    assert.equal(await traces(pod), before);
  });

  test('a volume that is full: the load writes what it can, the run ends as it should, and no file stays', async () => {
    const namespace = await cluster.namespace();
    await using small = await smallVolume();
    const pod = await cluster.pod(
      namespace,
      'full',
      { volumeMounts: [{ name: 'small', mountPath: '/small' }] },
      { nodeName: first, volumes: [{ name: 'small', hostPath: { path: small.path } }] },
    );
    writeFileSync(join(small.path, 'own'), Buffer.alloc(15 * 1024 * 1024));
    const run = await cluster.run('pod-io-stress', {
      namespace,
      pods: ['full'],
      env: {
        FILESYSTEM_UTILIZATION_PERCENTAGE: '90',
        VOLUME_MOUNT_PATH: '/small',
        TOTAL_CHAOS_DURATION: '4',
      },
    });
    const result = await run.ended();
    assert.equal(verdictOf(result), 'Pass', JSON.stringify(result.status));
    assert.deepEqual(readdirSync(small.path), ['own']);
    assert.deepEqual((await ContainerMeter.of(pod)).processes(), [await firstProcessOf(pod)]);
  });
});

/** A file system of 16 MiB; kubelets before 1.22 heed no sizeLimit of volumes in memory. */
async function smallVolume(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'turnsole-small-'));
  await exec('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=0777', 'small', path]);
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      // Lazily, for the pod still has it.
      await exec('umount', ['-l', path]);
      await rmdir(path);
    },
  };
}

/**
 * Fills the memory of a process's cgroup until the kernel has killed that process, which it is told to prefer. It may choose the eater all
 * the same, while the process is only beginning: then another one eats.
 */
async function exhaustMemory(pid: number): Promise<void> {
  const { version, byController } = await cgroupFoldersOf(pid);
  const folder = byController.get('memory') ?? '';
  const limit = join(folder, version === 1 ? 'memory.limit_in_bytes' : 'memory.max');
  assert.ok(existsSync(limit), limit);
  const eat = `
    process.stdin.once('data', () => {
      const kept = [];
      for (let size = 0; size < 1024; size += 16) kept.push(Buffer.alloc(16 << 20, 1));
    });`;
  const until = performance.now() + 20_000;
  while (existsSync(`/proc/${pid}`)) {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
    const eater = spawn(process.execPath, ['-e', eat], { stdio: ['pipe', 'ignore', 'ignore'] });
    const eaten = once(eater, 'exit');
    eater.stdin.on('error', () => {}); // the kernel may choose it at once
    try {
      writeFileSync(join(folder, 'cgroup.procs'), String(eater.pid));
      eater.stdin.write('now\n');
      while (existsSync(`/proc/${pid}`) && eater.exitCode === null && eater.signalCode === null) {
        assert.ok(performance.now() < until, 'the kernel has not killed it');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    } finally {
      eater.kill('SIGKILL');
      await eaten;
    }
  }
}
