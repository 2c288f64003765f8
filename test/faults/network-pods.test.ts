/** The network faults on pods of the embedded cluster, run as users run them, looked at from the host. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pod } from '../../src/api/index.ts';
import { locateContainer } from '../../src/experiment/index.ts';
import { kernelQueues } from '../../src/faults/network/queue.ts';
import { effectsImpossible, FaultCluster, isReady } from './support/fault-cluster.ts';

const hasNetem = effectsImpossible === false && (await kernelQueues.has('netem'));
const PORT = 7000;
const SERVER = `require('node:net').createServer((socket) => socket.end('hello')).listen(${PORT})`;
const container = { image: 'node', command: ['node', '-e', SERVER] };

/** Whether a pod answers a connection within a second, from the host. */
async function answers({ status }: Pod): Promise<boolean> {
  const socket = connect({ host: status?.podIP ?? '', port: PORT });
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

async function eventually(pod: Pod, expected: boolean): Promise<void> {
  for (let tries = 0; tries < 40; tries += 1) {
    if ((await answers(pod)) === expected) return;
    await delay(100);
  }
  assert.fail(`pod ${pod.metadata.name} ${expected ? 'never answered' : 'went on answering'}`);
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
      env: { TOTAL_CHAOS_DURATION: '4' },
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
    const { pid } = await locateContainer(pod.status?.containerStatuses?.[0]?.containerID ?? '');
    process.kill(pid, 'SIGKILL');
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

  test('what this kernel cannot do ends the run with the name of the module', {
    skip: hasNetem ? 'this kernel has netem' : false,
  }, async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'hit', container);
    const run = await cluster.run('pod-network-corruption', { namespace, pods: ['hit'] });
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Error');
    assert.match(JSON.stringify(status?.experimentStatus?.errorOutput), /no netem queue \(module sch_netem/);
    await eventually(pod, true);
  });
});
