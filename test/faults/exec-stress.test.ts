/** Load by commands in a container: measured from its cgroup while it lasts, and afterwards. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { findProgram } from '@turnsole/kube/base/machine';
import { ContainerMeter, eventually, isAbout } from './support/cgroup-meter.ts';
import { effectsImpossible, FaultCluster, isReady, LOOKED_AT_SECONDS } from './support/fault-cluster.ts';

/** The charts' way to end the load, which would end the application's own as well. */
const CHART_KILL = "kill $(find /proc -name exe -lname '*/md5sum' 2>&1 | awk -F/ '{print $(NF-1)}')";

describe('load by commands', { skip: effectsImpossible, concurrency: 2 }, () => {
  let cluster: FaultCluster;
  before(async () => {
    cluster = await FaultCluster.start();
  });
  after(() => cluster?.close());

  test('pod-cpu-hog-exec loads CPUs, again after a restart, and spares the application’s own md5sum', async () => {
    const namespace = await cluster.namespace();
    // Waits for a writer that never comes.
    const own = { command: ['/bin/sh', '-c', 'mkfifo /tmp/f; exec md5sum /tmp/f'] };
    const pod = await cluster.pod(namespace, 'hit', { ...own, resources: { limits: { cpu: '300m' } } });
    const first = await ContainerMeter.of(pod);
    first.prefer();
    const run = await cluster.run('pod-cpu-hog-exec', {
      namespace,
      pods: ['hit'],
      env: { CPU_CORES: '2', CHAOS_KILL_COMMAND: CHART_KILL, TOTAL_CHAOS_DURATION: '60' },
    });
    await run.injected();
    const used = await first.cpus(1_500);
    assert.ok(isAbout(used, 0.3), `${used} CPUs in place of the limit of 0.3`);
    process.kill(first.pid, 'SIGKILL');
    const restarted = await cluster.until(
      namespace,
      'hit',
      (one) => isReady(one) && one.status?.containerStatuses?.[0]?.restartCount === 1,
    );
    const again = await ContainerMeter.of(restarted);
    again.prefer();
    await eventually('load in the new container', () => again.cpuSeconds() > 0.1);
    await run.abort();
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Stopped');
    assert.deepEqual(again.processes(), [again.pid]);
  });

  for (const ending of ['over', 'aborted'] as const) {
    test(`pod-cpu-hog-exec leaves nothing defunct to a process 1 that does not reap, ${ending}`, async () => {
      const namespace = await cluster.namespace();
      // Reads from a pipe without a writer, and waits for no child.
      const own = { command: ['/bin/sh', '-c', 'mkfifo /tmp/f; exec cat /tmp/f'] };
      // A load without a limit would starve the tests beside it.
      const limited = { ...own, resources: { limits: { cpu: '300m' } } };
      const meter = await ContainerMeter.of(await cluster.pod(namespace, 'hit', limited));
      const run = await cluster.run('pod-cpu-hog-exec', {
        namespace,
        pods: ['hit'],
        env: {
          CPU_CORES: '2',
          CHAOS_INJECT_COMMAND: 'md5sum /dev/zero; true',
          TOTAL_CHAOS_DURATION: ending === 'over' ? LOOKED_AT_SECONDS : '60',
        },
      });
      await run.injected();
      await eventually('load', () => meter.cpuSeconds() > 0.1);
      if (ending === 'aborted') await run.abort();
      const { status } = await run.ended();
      assert.equal(status?.experimentStatus?.verdict, ending === 'over' ? 'Pass' : 'Stopped');
      assert.deepEqual(meter.processes(), [meter.pid]);
      const children = readFileSync(`/proc/${meter.pid}/task/${meter.pid}/children`, 'utf8');
      assert.equal(children, '', 'children of process 1');
    });
  }

  test('pod-memory-hog-exec takes memory, and gives it back', async () => {
    const namespace = await cluster.namespace();
    const meter = await ContainerMeter.of(await cluster.pod(namespace, 'hit'));
    const before = meter.memoryMebibytes();
    const run = await cluster.run('pod-memory-hog-exec', {
      namespace,
      pods: ['hit'],
      env: { MEMORY_CONSUMPTION: '100', TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS },
    });
    await run.injected();
    await eventually('memory', () => meter.memoryMebibytes() - before > 90);
    assert.ok(
      meter.memoryMebibytes() - before < 110,
      `${meter.memoryMebibytes() - before} MiB in place of 100`,
    );
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Pass', JSON.stringify(status));
    assert.deepEqual(meter.processes(), [meter.pid]);
  });

  test('a command that uses no CPU time has no effect, one that loads has', async () => {
    const namespace = await cluster.namespace();
    await cluster.pod(namespace, 'hit', { resources: { limits: { cpu: '500m' } } });
    const env = { CHAOS_INJECT_COMMAND: 'sleep 600', TOTAL_CHAOS_DURATION: '1' };
    const engine = { requireEffect: true };
    const idle = await (
      await cluster.run('pod-cpu-hog-exec', { namespace, pods: ['hit'], env, engine })
    ).ended();
    assert.equal(idle.status?.experimentStatus?.verdict, 'Fail', JSON.stringify(idle.status));
    assert.match(
      idle.status?.experimentStatus?.errorOutput?.reason ?? '',
      /NO_EFFECT.*used 0\.00 of \d\.\d\d s of CPU time asked for \(\d+ processes are alive\)/,
    );
    const busy = await cluster.run('pod-cpu-hog-exec', {
      namespace,
      pods: ['hit'],
      env: { TOTAL_CHAOS_DURATION: '1' },
      engine,
    });
    const { status } = await busy.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Pass', JSON.stringify(status));
    const effects = Object.values(status?.ledger ?? {}).flatMap(({ effect }) => effect?.message ?? []);
    assert.match(
      effects.join(),
      /^the commands have used \d\.\d\d of \d\.\d\d s of CPU time asked for \(\d+ processes are alive\)/,
    );
  });

  test('a program that is not in the image ends the run with its name', async () => {
    const namespace = await cluster.namespace();
    await cluster.pod(namespace, 'hit');
    const run = await cluster.run('pod-cpu-hog-exec', {
      namespace,
      pods: ['hit'],
      env: { CHAOS_INJECT_COMMAND: 'burn-it --all' },
    });
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Error');
    const { errorCode, reason = '' } = status?.experimentStatus?.errorOutput ?? {};
    assert.equal(errorCode, 'CHAOS_INJECT_ERROR');
    assert.match(reason, /burn-it is not in the image of the container/);
  });

  test('pod-fio-stress writes by fio, and leaves no file', {
    skip: findProgram('fio') === undefined ? 'fio is not installed' : false,
  }, async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'hit', { workingDir: '/tmp' });
    const meter = await ContainerMeter.of(pod);
    const run = await cluster.run('pod-fio-stress', {
      namespace,
      pods: ['hit'],
      env: {
        SIZE: '8',
        READ_WRITE_MODE: 'write',
        IO_ENGINE: 'sync',
        TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS,
      },
    });
    await run.injected();
    const folder = `/proc/${meter.pid}/root/tmp`;
    await eventually('a file of fio', () =>
      readdirSync(folder).some((name) => existsSync(`${folder}/${name}/testchaos.0.0`)),
    );
    await eventually('something is written', () => meter.written() > 16 * 1024 ** 2);
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Pass', JSON.stringify(status));
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('.fio')),
      [],
    );
    assert.deepEqual(meter.processes(), [meter.pid]);
  });
});
