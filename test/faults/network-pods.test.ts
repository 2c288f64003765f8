/** The network faults on pods of a cluster, run as users run them, looked at from the host. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { NetworkPolicy, Pod } from '@turnsole/kube/kinds/core';
import { NETWORK_POLICIES } from '@turnsole/kube/kinds/resources';
import { waitForList } from '@turnsole/kube/runtime/wait';
import { kernelHasQueue } from '../../src/faults/network/queue.ts';
import { clusterSettings } from '../cluster/support/settings.ts';
import { firstProcessOf } from '../support/first-process.ts';
import {
  effectsImpossible,
  FaultCluster,
  isReady,
  LIMIT_MS,
  LOOKED_AT_SECONDS,
} from './support/fault-cluster.ts';

const hasNetem = effectsImpossible === false && (await kernelHasQueue('netem'));
const PORT = 7000;
/** Sends as much as goes to whoever connects. */
const FLOOD_PORT = 7001;
const SERVER = `
  const { createServer } = require('node:net');
  createServer((socket) => socket.on('error', () => {}).end('hello')).listen(${PORT});
  const chunk = Buffer.alloc(65536);
  createServer((socket) => {
    const more = () => { while (socket.writable && socket.write(chunk)); };
    socket.on('error', () => {}).on('drain', more);
    more();
  }).listen(${FLOOD_PORT});`;
const container = { image: 'node', command: ['node', '-e', SERVER], ports: [{ containerPort: PORT }] };

/** Whether policies have an effect; of most clusters it cannot be known. */
const isEnforced = clusterSettings()?.enforcesPolicies ?? true;

/** Says how a connection goes, by the exit code. */
const DIAL = `
  const [host, port] = process.argv.slice(1);
  require('node:net').connect({ host, port }).on('data', () => process.exit(0)).on('error', () => process.exit(1));
  setTimeout(() => process.exit(1), 1_000);`;

/** Whether a pod answers another one within a second. */
async function reaches(from: Pod, { status }: Pod, port = PORT): Promise<boolean> {
  const enter = ['-t', String(await firstProcessOf(from)), '-n', '--'];
  const dial = [process.execPath, '-e', DIAL, status?.podIP ?? '', String(port)];
  const child = spawn('nsenter', [...enter, ...dial], { stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return code === 0;
}

async function eventuallyReaches(from: Pod, to: Pod, expected: boolean, port = PORT): Promise<void> {
  for (const until = performance.now() + LIMIT_MS; (await reaches(from, to, port)) !== expected; ) {
    const [one, other] = [from.metadata.name, to.metadata.name];
    assert.ok(performance.now() < until, `${one} ${expected ? 'never' : 'still'} reaches ${other}`);
  }
}

/** Whether a pod answers a connection within a second, from the host. */
async function answers({ status }: Pod, port = PORT): Promise<boolean> {
  const socket = connect({ host: status?.podIP ?? '', port });
  const limit = AbortSignal.timeout(1_000);
  limit.addEventListener('abort', () => socket.destroy());
  try {
    for await (const chunk of socket) if (String(chunk) === 'hello') return true;
    return false;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** How long a pod takes to say hello, from the host at least, of some connections, in milliseconds. */
async function helloMs({ status }: Pod): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < 5; time += 1) {
    const startedAt = performance.now();
    const socket = connect({ host: status?.podIP ?? '', port: PORT });
    await once(socket, 'data');
    times.push(performance.now() - startedAt);
    socket.destroy();
  }
  // Other work on the machine holds up some, and none is faster for it.
  return Math.min(...times);
}

/** What has come from a pod, at the host. */
interface Flow {
  /** Bits per second, after what a queue lets through at once. */
  readonly rate: number;
  /** All bits since the connection was asked for, and the seconds since then. */
  readonly bits: number;
  readonly seconds: number;
}

async function flowOf({ status }: Pod, ms: number): Promise<Flow> {
  const askedAt = performance.now();
  const socket = connect({ host: status?.podIP ?? '', port: FLOOD_PORT });
  let bytes = 0;
  socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  await once(socket, 'data');
  await delay(700);
  const [startedAt, before] = [performance.now(), bytes];
  await delay(ms);
  const [endedAt, bits] = [performance.now(), bytes * 8];
  socket.destroy();
  const rate = (bits - before * 8) / ((endedAt - startedAt) / 1000);
  return { rate, bits, seconds: (endedAt - askedAt) / 1000 };
}

/**
 * Until a pod's bytes come as fast as that: a machine that does much else may give this process no turn for a while.
 *
 * @param check holds for every flow that is seen on the way
 */
async function eventuallyFasterThan(
  rate: number,
  pod: Pod,
  ms: number,
  check: (flow: Flow) => void = () => {},
): Promise<void> {
  const rates: number[] = [];
  for (const until = performance.now() + LIMIT_MS; performance.now() < until; ) {
    const flow = await flowOf(pod, ms);
    check(flow);
    if (flow.rate > rate) return;
    rates.push(flow.rate);
  }
  assert.fail(`${rates.join(', ')} bits per second`);
}

async function eventually(pod: Pod, expected: boolean, port = PORT): Promise<void> {
  for (const until = performance.now() + LIMIT_MS; (await answers(pod, port)) !== expected; await delay(50)) {
    assert.ok(
      performance.now() < until,
      `pod ${pod.metadata.name} ${expected ? 'never answered' : 'went on answering'}`,
    );
  }
}

describe('network faults on pods', { skip: effectsImpossible }, () => {
  let cluster: FaultCluster;
  before(async () => {
    cluster = await FaultCluster.start();
  });
  after(() => cluster?.close());

  test('pod-network-loss cuts off the target alone, and only while it lasts', async () => {
    const namespace = await cluster.namespace();
    const [hit, other] = await Promise.all(
      ['hit', 'other'].map((name) => cluster.pod(namespace, name, container)),
    );
    assert.ok(hit !== undefined && other !== undefined);
    await eventually(hit, true);
    await eventually(other, true);
    const run = await cluster.run('pod-network-loss', {
      namespace,
      pods: ['hit'],
      env: { TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS },
    });
    await run.injected();
    assert.deepEqual([await answers(hit), await answers(other)], [false, true]);
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Pass', JSON.stringify(status));
    assert.equal(await answers(hit), true);
  });

  test('the fault outlives a restart of the container, and an abort ends it', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'hit', container);
    const run = await cluster.run('pod-network-loss', {
      namespace,
      pods: ['hit'],
      env: { TOTAL_CHAOS_DURATION: '60' },
    });
    await run.injected();
    process.kill(await firstProcessOf(pod), 'SIGKILL');
    const again = await cluster.until(
      namespace,
      'hit',
      (one) => isReady(one) && one.status?.containerStatuses?.[0]?.restartCount === 1,
    );
    assert.equal(await answers(again), false);
    await run.abort();
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Stopped');
    await eventually(again, true);
  });

  test('pod-network-rate-limit: bytes come at the rate that is set, and faster afterwards', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'hit', container);
    await eventually(pod, true);
    const run = await cluster.run('pod-network-rate-limit', {
      namespace,
      pods: ['hit'],
      env: { NETWORK_BANDWIDTH: '8mbit', BURST: '128kb', TOTAL_CHAOS_DURATION: '60' },
    });
    await run.injected();
    // What comes is the payload: headers count for the queue.
    await eventuallyFasterThan(6.8e6, pod, 2_000, ({ bits, seconds }) => {
      // Counted from the beginning: what waits while this process has no turn, and then comes at once, raises no mean.
      assert.ok(bits < 128 * 1024 * 8 + 8.4e6 * seconds, `${bits} bits in ${seconds} s`);
    });
    await run.abort();
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Stopped');
    await eventuallyFasterThan(50e6, pod, 300);
  });

  test('pod-network-latency: what the pod says comes so much later, with netem and without', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'hit', container);
    await eventually(pod, true);
    const without = await helloMs(pod);
    const run = await cluster.run('pod-network-latency', {
      namespace,
      pods: ['hit'],
      env: { NETWORK_LATENCY: '700', TOTAL_CHAOS_DURATION: '60' },
    });
    await run.injected();
    const added = (await helloMs(pod)) - without;
    // The kernel's queue delays the answer to the connection as well.
    const most = hasNetem ? 1_550 : 850;
    assert.ok(added >= 690 && added <= most, `${added} ms in place of 700`);
    await run.abort();
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Stopped', JSON.stringify(status));
    assert.ok((await helloMs(pod)) < 600);
  });

  test('pod-network-latency by proxies: as many as there are servers, none of them too much for its helper', {
    skip: hasNetem ? 'this kernel has netem' : false,
  }, async () => {
    const namespace = await cluster.namespace();
    // Their proxies need more memory than helpers of other faults may have.
    const ports = Array.from({ length: 18 }, (_, index) => PORT + 100 + index);
    const server = `
      for (const port of ${JSON.stringify(ports)})
        require('node:net').createServer((socket) => socket.on('error', () => {}).end('hello')).listen(port);`;
    const pod = await cluster.pod(namespace, 'hit', { image: 'node', command: ['node', '-e', server] });
    await Promise.all(ports.map((port) => eventually(pod, true, port)));
    const run = await cluster.run('pod-network-latency', {
      namespace,
      pods: ['hit'],
      env: { NETWORK_LATENCY: '60000', TOTAL_CHAOS_DURATION: '60' },
    });
    await run.injected();
    const answered = await Promise.all(ports.map((port) => answers(pod, port)));
    assert.ok(!answered.includes(true), `answers at once: ${answered}`);
    await run.abort();
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Stopped', JSON.stringify(status?.experimentStatus));
    await Promise.all(ports.map((port) => eventually(pod, true, port)));
  });

  /** A target for partitions with a pod beside it, and what there is of policies. */
  async function partition(env: Record<string, string>) {
    const namespace = await cluster.namespace();
    const [hit, beside] = await Promise.all(
      ['hit', 'beside'].map((name) => cluster.pod(namespace, name, container)),
    );
    assert.ok(hit !== undefined && beside !== undefined);
    await Promise.all([eventuallyReaches(hit, beside, true), eventuallyReaches(beside, hit, true)]);
    const start = async (more: Record<string, string> = {}) => {
      const settings = { ...env, ...more };
      const run = await cluster.run('pod-network-partition', { namespace, pods: ['hit'], env: settings });
      await run.injected();
      return run;
    };
    const policies = async (): Promise<readonly NetworkPolicy[]> =>
      (await cluster.client.list<NetworkPolicy>(NETWORK_POLICIES, { namespace })).items;
    return { namespace, hit, beside, start, policies };
  }

  test('pod-network-partition: both directions, until it is over; the node still reaches the pod', async () => {
    const { hit, beside, start, policies } = await partition({ TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS });
    const run = await start();
    const [policy, ...others] = await policies();
    assert.deepEqual(policy?.spec, {
      podSelector: { matchLabels: { app: 'hit' } },
      policyTypes: ['Ingress', 'Egress'],
    });
    assert.deepEqual(others, []);
    if (isEnforced) {
      await eventuallyReaches(beside, hit, false);
      assert.deepEqual([await reaches(hit, beside), await answers(hit)], [false, true]);
    }
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Pass', JSON.stringify(status));
    const effects = Object.values(status?.ledger ?? {}).map(({ effect }) => effect?.message);
    if (isEnforced) assert.deepEqual(effects, [`port ${PORT} answered before the cut, and does not now`]);
    assert.deepEqual(await policies(), []);
    await eventuallyReaches(beside, hit, true);
    assert.equal(await reaches(hit, beside), true);
  });

  test('pod-network-partition: one direction, some addresses, open ports, until an abort', {
    skip: isEnforced ? false : 'whether this cluster enforces NetworkPolicies is not known',
  }, async () => {
    const { namespace, hit, beside, start } = await partition({ TOTAL_CHAOS_DURATION: '60' });
    const other = await cluster.pod(namespace, 'other', container);
    const look = async (): Promise<boolean[]> => [
      await reaches(hit, beside),
      await reaches(hit, other),
      await reaches(beside, hit),
      await reaches(beside, hit, FLOOD_PORT),
    ];
    const cases: readonly [env: Record<string, string>, seen: readonly boolean[]][] = [
      [{ POLICY_TYPES: 'egress', DESTINATION_IPS: beside.status?.podIP ?? '' }, [false, true, true, true]],
      [{ POLICY_TYPES: 'ingress', PORTS: `tcp: [${PORT}]` }, [true, true, true, false]],
      [{ POLICY_TYPES: 'all', POD_SELECTOR: 'app=other' }, [false, true, false, false]],
    ];
    for (const [env, seen] of cases) {
      const run = await start(env);
      // Rules follow within moments, but not in the answer to their policy.
      for (const until = performance.now() + LIMIT_MS; `${await look()}` !== `${seen}`; ) {
        assert.ok(performance.now() < until, `${JSON.stringify(env)}: ${await look()}, not ${seen}`);
      }
      await run.abort();
      assert.equal((await run.ended()).status?.experimentStatus?.verdict, 'Stopped');
      await Promise.all([
        eventuallyReaches(hit, beside, true),
        eventuallyReaches(beside, hit, true, FLOOD_PORT),
      ]);
    }
  });

  test('pod-network-partition: an experiment that is killed leaves no policy: a recovery removes it', async () => {
    const { namespace, hit, beside, start, policies } = await partition({ TOTAL_CHAOS_DURATION: '300' });
    const run = await start();
    assert.equal((await policies()).length, 1);
    if (isEnforced) await eventuallyReaches(beside, hit, false);
    await cluster.killExperiment(namespace);
    await waitForList(cluster.client, NETWORK_POLICIES, (left) => left.length === 0, {
      namespace,
      timeoutMs: LIMIT_MS,
    });
    await eventuallyReaches(beside, hit, true);
    assert.match((await run.ended()).status?.experimentStatus?.verdict ?? '', /^Error/);
  });

  for (const fault of ['pod-network-corruption', 'pod-network-duplication']) {
    test(`${fault}: what this kernel cannot do ends the run with the name of the module`, {
      skip: hasNetem ? 'this kernel has netem' : false,
    }, async () => {
      const namespace = await cluster.namespace();
      const pod = await cluster.pod(namespace, 'hit', container);
      const run = await cluster.run(fault, { namespace, pods: ['hit'] });
      const { status } = await run.ended();
      assert.equal(status?.experimentStatus?.verdict, 'Error');
      assert.match(
        JSON.stringify(status?.experimentStatus?.errorOutput),
        /no netem queue \(module sch_netem/,
      );
      await eventually(pod, true);
    });
  }
});
