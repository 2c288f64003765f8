/** Stress of containers: measured from their cgroups while it lasts, and afterwards. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ChaosResult, InjectionEffect } from '../../src/api/index.ts';
import type { FaultContext } from '../../src/experiment/injection/fault.ts';
import podCpuHog from '../../src/faults/stress/pod-cpu-hog.ts';
import { ContainerMeter, eventually, isAbout, processesWith } from './support/cgroup-meter.ts';
import { effectsImpossible, FaultCluster, isReady, LOOKED_AT_SECONDS } from './support/fault-cluster.ts';

/** The effect on the only target. */
function effectOf({ status }: ChaosResult): InjectionEffect | undefined {
  const [entry, ...others] = Object.values(status?.ledger ?? {});
  assert.equal(others.length, 0);
  return entry?.effect;
}

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
    assert.equal(meter.processes().length, 1);
    meter.prefer();
    const run = await cluster.run('pod-cpu-hog', {
      namespace,
      pods: ['hit'],
      env: { CPU_CORES: '1', CPU_LOAD: '40', TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS },
    });
    await run.injected();
    const used = await meter.cpus(2_000);
    assert.ok(isAbout(used, 0.4), `${used} CPUs in place of 0.4`);
    assert.equal(beside.processes().length, 1);
    const result = await run.ended();
    assert.match(
      effectOf(result)?.message ?? '',
      /^the load has got \d+\.\d\d of \d+\.\d\d s of CPU time asked for \(\d+ %\)$/,
    );
    assert.equal(result.status?.experimentStatus?.verdict, 'Pass', JSON.stringify(result.status));
    assert.equal(meter.processes().length, 1);
    assert.deepEqual(processesWith(new RegExp(`TURNSOLE_STRESS=[^\\0]*${namespace}`)), []);
  });

  test('pod-memory-hog takes and holds the memory that was asked for', async () => {
    const namespace = await cluster.namespace();
    const meter = await ContainerMeter.of(await cluster.pod(namespace, 'hit'));
    const before = meter.memoryMebibytes();
    const run = await cluster.run('pod-memory-hog', {
      namespace,
      pods: ['hit'],
      env: { MEMORY_CONSUMPTION: '100', NUMBER_OF_WORKERS: '1', TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS },
    });
    await run.injected();
    await eventually('memory', () => meter.memoryMebibytes() - before > 90);
    const used = meter.memoryMebibytes() - before;
    assert.ok(Math.abs(used - 100) < 10, `${used} MiB in place of 100`);
    const result = await run.ended();
    assert.equal(result.status?.experimentStatus?.verdict, 'Pass', JSON.stringify(result.status));
    assert.ok(meter.memoryMebibytes() - before < 2);
    const said = /^the load has held (\d+) of 100 MiB asked for$/.exec(effectOf(result)?.message ?? '');
    assert.ok(Math.abs(Number(said?.[1]) - 100) < 10, JSON.stringify(effectOf(result)));
  });

  test('memory beyond the limit: how often the kernel has killed the load, and at what limit', async () => {
    const namespace = await cluster.namespace();
    await cluster.pod(namespace, 'hit', { resources: { limits: { memory: '60Mi' } } });
    const run = await cluster.run('pod-memory-hog', {
      namespace,
      pods: ['hit'],
      env: { MEMORY_CONSUMPTION: '200', NUMBER_OF_WORKERS: '1', TOTAL_CHAOS_DURATION: '4' },
      engine: { requireEffect: true },
    });
    const result = await run.ended();
    assert.equal(result.status?.experimentStatus?.verdict, 'Pass', JSON.stringify(result.status));
    const { seen, message = '' } = effectOf(result) ?? {};
    assert.match(
      `${seen} ${message}`,
      /^true the load has been killed by the kernel (once|\d+ times) at the container's limit of 60 MiB; held \d+(\.\d)? of 200 MiB asked for/,
    );
    const warned = result.status?.timeline?.find(({ step }) => step === 'Warning')?.message;
    assert.match(warned ?? '', /^200 MiB of memory are asked for, and the container has a limit of 60 MiB/);
  });

  test('a CPU load of nothing had no effect, whatever its loader has used', async () => {
    const namespace = await cluster.namespace();
    await cluster.pod(namespace, 'hit');
    const run = await cluster.run('pod-cpu-hog', {
      namespace,
      pods: ['hit'],
      env: { CPU_CORES: '1', CPU_LOAD: '0', TOTAL_CHAOS_DURATION: '2' },
      engine: { requireEffect: true },
    });
    const result = await run.ended();
    const { verdict, errorOutput } = result.status?.experimentStatus ?? {};
    assert.deepEqual([verdict, errorOutput?.errorCode], ['Fail', 'NO_EFFECT']);
    assert.deepEqual(effectOf(result), {
      seen: false,
      message: 'CPU_LOAD is 0 %, so that no CPU time is used',
    });
  });

  test('a limit holds for the load, and the load comes back with the container, until the abort', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'hit', {
      resources: { limits: { cpu: '300m', memory: '200Mi' } },
    });
    const first = await ContainerMeter.of(pod);
    first.prefer();
    const run = await cluster.run('pod-cpu-hog', {
      namespace,
      pods: ['hit'],
      env: { CPU_CORES: '1', TOTAL_CHAOS_DURATION: '60' },
    });
    await run.injected();
    const used = await first.cpus(1_500);
    assert.ok(isAbout(used, 0.3), `${used} CPUs in place of 0.3`);
    process.kill(first.pid, 'SIGKILL');
    const again = await ContainerMeter.of(
      await cluster.until(
        namespace,
        'hit',
        (one) => isReady(one) && one.status?.containerStatuses?.[0]?.restartCount === 1,
      ),
    );
    again.prefer();
    await eventually('load in the new container', () => again.cpuSeconds() > 0.1);
    const usedAgain = await again.cpus(1_500);
    assert.ok(isAbout(usedAgain, 0.3), `${usedAgain} CPUs in place of 0.3`);
    await run.abort();
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Stopped');
    assert.deepEqual(again.processes(), [again.pid]);
  });

  test('a load ends with its helper, however that ends, and a revert finds what another process started', async () => {
    const namespace = await cluster.namespace();
    const [cpu, memory] = await Promise.all([
      cluster.pod(namespace, 'cpu'),
      cluster.pod(namespace, 'memory'),
    ]);
    const meters = await Promise.all([ContainerMeter.of(cpu), ContainerMeter.of(memory)]);
    const env = { TOTAL_CHAOS_DURATION: '60', CPU_CORES: '1', CPU_LOAD: '20', MEMORY_CONSUMPTION: '50' };
    const runs = await Promise.all([
      cluster.run('pod-cpu-hog', { namespace, pods: ['cpu'], env }),
      cluster.run('pod-memory-hog', { namespace, pods: ['memory'], env }),
    ]);
    const [[entry] = []] = await Promise.all(runs.map((run) => run.injected()));
    assert.ok(entry);
    // This process never injected: it has what the ledger says, as a recovering helper does.
    const before = meters[0].processes();
    assert.ok(before.length > 1);
    const context = {} as FaultContext; // the processes are found without the cluster
    await podCpuHog.revert(entry, context);
    await eventually('the end of what it started', () =>
      before.every((pid) => pid === meters[0].pid || !meters[0].processes().includes(pid)),
    );
    const helpers = processesWith(/TURNSOLE_ASSIGNMENT=/, new RegExp(`CHAOS_NAMESPACE=${namespace}\\0`));
    assert.ok(helpers.length >= 2);
    for (const pid of helpers) process.kill(pid, 'SIGKILL');
    await eventually('the end of both loads', () => meters.every((meter) => meter.processes().length === 1));
    // What the revert had ended was about to begin again, in the cgroup of its helper.
    const isOwn = new RegExp(`TURNSOLE_STRESS=[^\\0]*${namespace}`);
    await eventually('the end of what had only begun', () => processesWith(isOwn).length === 0);
    await podCpuHog.revert(entry, context);
    await Promise.all(runs.map((run) => run.abort()));
    await Promise.all(runs.map((run) => run.ended()));
  });
});
