/** Stress of containers: measured from their cgroups while it lasts, and afterwards. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ContainerMeter, eventually, processesWith } from './support/cgroup-meter.ts';
import { effectsImpossible, FaultCluster } from './support/fault-cluster.ts';

describe('stress of containers', { skip: effectsImpossible }, () => {
  let cluster: FaultCluster;
  before(async () => {
    cluster = await FaultCluster.start();
  });
  after(() => cluster?.close());

  test('pod-cpu-hog uses the share of a CPU that was asked for, in the container alone', async () => {
    const namespace = await cluster.namespace();
    const [hit, other] = await Promise.all([cluster.pod(namespace, 'hit'), cluster.pod(namespace, 'other')]);
    const [meter, beside] = await Promise.all([ContainerMeter.of(hit), ContainerMeter.of(other)]);
    assert.deepEqual(meter.processes().length, 1);
    const run = await cluster.run('pod-cpu-hog', {
      namespace,
      pods: ['hit'],
      env: { CPU_CORES: '1', CPU_LOAD: '40', TOTAL_CHAOS_DURATION: '4' },
    });
    await run.injected();
    const used = await meter.cpus(2_000);
    assert.ok(Math.abs(used - 0.4) < 0.04, `${used} CPUs in place of 0.4`);
    assert.equal(beside.processes().length, 1);
    const result = await run.ended();
    assert.equal(result.status?.experimentStatus?.verdict, 'Pass', JSON.stringify(result.status));
    assert.equal(meter.processes().length, 1);
    assert.deepEqual(processesWith('TURNSOLE_STRESS='), []);
  });

  test('pod-memory-hog takes and holds the memory that was asked for', async () => {
    const namespace = await cluster.namespace();
    const meter = await ContainerMeter.of(await cluster.pod(namespace, 'hit'));
    const before = meter.memoryMebibytes();
    const run = await cluster.run('pod-memory-hog', {
      namespace,
      pods: ['hit'],
      env: { MEMORY_CONSUMPTION: '100', NUMBER_OF_WORKERS: '1', TOTAL_CHAOS_DURATION: '3' },
    });
    await run.injected();
    await eventually('memory', () => meter.memoryMebibytes() - before > 90);
    const used = meter.memoryMebibytes() - before;
    assert.ok(Math.abs(used - 100) < 10, `${used} MiB in place of 100`);
    const result = await run.ended();
    assert.equal(result.status?.experimentStatus?.verdict, 'Pass', JSON.stringify(result.status));
    assert.ok(meter.memoryMebibytes() - before < 2);
  });
});
