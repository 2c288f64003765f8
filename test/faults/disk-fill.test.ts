/** disk-fill: measured from what is in use in the container's own file system. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '@turnsole/kube/base/clock';
import { PODS } from '@turnsole/kube/kinds/resources';
import { PATIENCE_MS } from '@turnsole/kube/testing/until';
import type { FaultContext } from '../../src/experiment/injection/fault.ts';
import diskFill from '../../src/faults/stress/disk-fill.ts';
import { firstProcessOf } from '../support/first-process.ts';
import { eventually } from './support/cgroup-meter.ts';
import { layerOf } from './support/container-layer.ts';
import { effectsImpossible, FaultCluster, LOOKED_AT_SECONDS } from './support/fault-cluster.ts';

const LIMITED = { resources: { limits: { 'ephemeral-storage': '100Mi' } } };
/** Uses 10 MiB itself. */
const WRITER = {
  ...LIMITED,
  command: ['/bin/sh', '-c', 'head -c 10485760 /dev/urandom > /part; mv /part /own-data; exec sleep 100000'],
  readinessProbe: { exec: { command: ['test', '-s', '/own-data'] }, periodSeconds: 1 },
};

/** MiB in use; nothing for a folder that is gone. */
function used(folder: string): number {
  if (!existsSync(folder)) return 0;
  return Number(execFileSync('du', ['-skx', folder], { encoding: 'utf8' }).split('\t')[0]) / 1024;
}

describe('disk-fill', { skip: effectsImpossible, concurrency: 4 }, () => {
  let cluster: FaultCluster;
  before(async () => {
    cluster = await FaultCluster.start();
  });
  after(() => cluster?.close());

  test('fills the storage to the percentage of its limit, what the container uses included', async () => {
    const namespace = await cluster.namespace();
    const folder = await layerOf(await cluster.pod(namespace, 'hit', WRITER));
    const before = used(folder);
    assert.ok(before >= 10 && before < 15, `${before} MiB at first`);
    const run = await cluster.run('disk-fill', {
      namespace,
      pods: ['hit'],
      env: { FILL_PERCENTAGE: '60', TOTAL_CHAOS_DURATION: LOOKED_AT_SECONDS },
    });
    await run.injected();
    const full = used(folder);
    assert.ok(Math.abs(full - 60) < 1, `${full} MiB in place of 60`);
    const result = await run.ended();
    assert.equal(result.status?.experimentStatus?.verdict, 'Pass', JSON.stringify(result.status));
    assert.equal(used(folder), before);
  });

  test('a container that uses more than is asked for already is not filled, which is no effect', async () => {
    const namespace = await cluster.namespace();
    await cluster.pod(namespace, 'hit', WRITER);
    const env = { FILL_PERCENTAGE: '5', TOTAL_CHAOS_DURATION: '1' };
    const run = await cluster.run('disk-fill', {
      namespace,
      pods: ['hit'],
      env,
      engine: { requireEffect: true },
    });
    const { status } = await run.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Fail', JSON.stringify(status));
    assert.match(
      status?.experimentStatus?.errorOutput?.reason ?? '',
      /NO_EFFECT.*uses more than that already/,
    );
  });

  test('without a limit the absolute size counts, and without both nothing is done', async () => {
    const namespace = await cluster.namespace();
    const folder = await layerOf(await cluster.pod(namespace, 'hit'));
    const before = used(folder);
    const refused = await cluster.run('disk-fill', { namespace, pods: ['hit'] });
    const { status } = await refused.ended();
    assert.equal(status?.experimentStatus?.verdict, 'Error');
    assert.match(status?.experimentStatus?.errorOutput?.reason ?? '', /has no limit for ephemeral-storage/);
    const run = await cluster.run('disk-fill', {
      namespace,
      pods: ['hit'],
      env: { EPHEMERAL_STORAGE_MEBIBYTES: '30', TOTAL_CHAOS_DURATION: '60' },
    });
    await run.injected();
    assert.ok(Math.abs(used(folder) - 30) < 1, `${used(folder)} MiB in place of 30`);
    await run.abort();
    assert.equal((await run.ended()).status?.experimentStatus?.verdict, 'Stopped');
    assert.equal(used(folder), before);
  });

  test('a container that restarts is filled again, and nothing stays in either', async () => {
    const namespace = await cluster.namespace();
    const pod = await cluster.pod(namespace, 'hit', LIMITED);
    const first = await layerOf(pod);
    const run = await cluster.run('disk-fill', {
      namespace,
      pods: ['hit'],
      env: { FILL_PERCENTAGE: '40', TOTAL_CHAOS_DURATION: '60' },
    });
    await run.injected();
    process.kill(await firstProcessOf(pod), 'SIGKILL');
    const again = await cluster.until(
      namespace,
      'hit',
      ({ status }) =>
        status?.containerStatuses?.[0]?.restartCount === 1 && status.containerStatuses[0].ready === true,
    );
    const second = await layerOf(again);
    await eventually('filled again', () => Math.abs(used(second) - 40) < 1);
    await run.abort();
    await run.ended();
    assert.ok(used(first) < 1 && used(second) < 1, `${used(first)} and ${used(second)} MiB are left`);
  });

  test('the ledger entry alone is enough to revert, in another process, twice, and when the pod is gone', async () => {
    const namespace = await cluster.namespace();
    const folder = await layerOf(await cluster.pod(namespace, 'hit', LIMITED));
    const run = await cluster.run('disk-fill', {
      namespace,
      pods: ['hit'],
      env: { FILL_PERCENTAGE: '40', TOTAL_CHAOS_DURATION: '60' },
    });
    const [entry] = await run.injected();
    assert.ok(entry);
    assert.ok(used(folder) > 39);
    // This process never injected: it has what the ledger says, as a recovering helper does.
    const context: FaultContext = {
      client: cluster.client,
      clock: systemClock,
      random: Math.random,
      signal: AbortSignal.timeout(PATIENCE_MS),
      recoveryTimeoutMs: 10_000,
      note: () => {},
    };
    await diskFill.revert(entry, context);
    assert.ok(used(folder) < 1);
    await diskFill.revert(entry, context);
    await cluster.client.delete(PODS, 'hit', { namespace });
    await diskFill.revert(entry, context);
    await run.abort();
    assert.equal((await run.ended()).status?.experimentStatus?.verdict, 'Stopped');
  });
});
