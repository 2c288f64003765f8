/** Stress of nodes, and writing: measured from the cgroup of whoever loads while it lasts, and afterwards. */
import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import { ContainerMeter, eventually, helperMeter, isAbout } from './support/cgroup-meter.ts';
import { effectsImpossible, FaultCluster, LOOKED_AT_SECONDS } from './support/fault-cluster.ts';

describe('stress of nodes, and writing', { skip: effectsImpossible, concurrency: 2 }, () => {
  let cluster: FaultCluster;
  before(async () => {
    cluster = await FaultCluster.start(2);
  });
  after(() => cluster?.close());

  /** The nodes that the helpers of a fault are on. */
  async function helperNodes(namespace: string, fault: string): Promise<(string | undefined)[]> {
    const { items } = await cluster.client.list<Pod>(PODS, { namespace });
    const own = items.filter(({ metadata }) => metadata.name.startsWith(`${fault}-helper-`));
    return own.map(({ spec }) => spec?.nodeName);
  }

  test('node-cpu-hog loads one node and no other, until the abort', async () => {
    const namespace = await cluster.namespace();
    const node = cluster.nodes.at(-1);
    assert.ok(node);
    const run = await cluster.run('node-cpu-hog', {
      namespace,
      env: { TARGET_NODES: node, NODE_CPU_CORE: '1', CPU_LOAD: '30', TOTAL_CHAOS_DURATION: '60' },
    });
    await run.injected();
    assert.deepEqual(await helperNodes(namespace, 'node-cpu-hog'), [node]);
    const meter = await helperMeter(namespace);
    meter.prefer();
    const used = await meter.cpus(2_000);
    assert.ok(isAbout(used, 0.3), `${used} CPUs in place of 0.3`);
    await run.abort();
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Stopped');
    await eventually('the end of the helper', () => meter.processes().length === 0);
  });

  test('node-memory-hog takes the memory that was asked for', async () => {
    const namespace = await cluster.namespace();
    const [node] = cluster.nodes;
    assert.ok(node);
    const run = await cluster.run('node-memory-hog', {
      namespace,
      env: {
        TARGET_NODES: node,
        MEMORY_CONSUMPTION_MEBIBYTES: '300',
        TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS,
      },
    });
    await run.injected();
    const meter = await helperMeter(namespace);
    await eventually('memory', () => meter.memoryMebibytes() > 300);
    // The helper itself is in that cgroup as well.
    assert.ok(meter.memoryMebibytes() < 400, `${meter.memoryMebibytes()} MiB`);
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Pass', JSON.stringify(status));
    assert.deepEqual(
      status?.history?.targets?.map(({ name, kind, chaosStatus }) => [name, kind, chaosStatus]),
      [[node, 'node', 'reverted']],
    );
  });

  test('node-io-stress writes until the abort', async () => {
    const namespace = await cluster.namespace();
    const run = await cluster.run('node-io-stress', {
      namespace,
      env: {
        TARGET_NODES: cluster.nodes[0] ?? '',
        FILESYSTEM_UTILIZATION_PERCENTAGE: '1',
        NUMBER_OF_WORKERS: '1',
        CPU: '0',
        VM_WORKERS: '0',
        TOTAL_CHAOS_DURATION: '60',
      },
    });
    await run.injected();
    const meter = await helperMeter(namespace);
    const before = meter.written();
    await eventually('something is written', () => meter.written() - before > 8 * 1024 ** 2);
    await run.abort();
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Stopped');
    await eventually('the end of the helper', () => meter.processes().length === 0);
  });

  test('pod-io-stress fills the share of a volume that was asked for, again and again', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(
      namespace,
      'hit',
      // A load without a limit would starve the tests beside it.
      { volumeMounts: [{ name: 'data', mountPath: '/data' }], resources: { limits: { cpu: '300m' } } },
      { volumes: [{ name: 'data', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } }] },
    );
    const meter = await ContainerMeter.of(pod);
    const used = (): number => {
      const { blocks, bfree } = statfsSync(`/proc/${meter.pid}/root/data`);
      return (blocks - bfree) / blocks;
    };
    assert.equal(used(), 0);
    // Kubelets before 1.22 make the volume as large as half of the node's memory; then a little of it is enough.
    const { blocks, bsize } = statfsSync(`/proc/${meter.pid}/root/data`);
    const share = blocks * bsize > 64 * 1024 ** 2 ? 1 : 50;
    const run = await cluster.run('pod-io-stress', {
      namespace,
      pods: ['hit'],
      env: {
        FILESYSTEM_UTILIZATION_PERCENTAGE: String(share),
        VOLUME_MOUNT_PATH: '/data',
        NUMBER_OF_WORKERS: '2',
        TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS,
      },
    });
    await run.injected();
    await eventually(`${share} % of the volume is in use`, () => Math.abs(used() * 100 - share) < share / 25);
    const before = meter.written();
    await eventually('it is written again', () => meter.written() - before > 64 * 1024 ** 2);
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Pass', JSON.stringify(status));
    assert.equal(used(), 0);
    const refused = await cluster.run('pod-io-stress', {
      namespace,
      pods: ['hit'],
      env: { VOLUME_MOUNT_PATH: '/nowhere' },
    });
    const { status: other } = await refused.ended();
    assert.match(
      other?.experimentStatus?.errorOutput?.reason ?? '',
      /VOLUME_MOUNT_PATH \/nowhere is no folder/,
    );
  });
});
