/** The faults of GCP against a server that speaks what Compute Engine's reference describes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ExperimentCluster, shareExperimentCluster } from '../../support/experiment-cluster.ts';
import { openGate } from './support/gate.ts';
import { type ComputeStandIn, PROJECT, startCompute, ZONE } from './support/gcp.ts';
import { ledgerOf, startCloudRun, until, verdictOf } from './support/run-cloud-fault.ts';

describe('faults of GCP', { concurrency: 1 }, () => {
  let cluster: ExperimentCluster;
  shareExperimentCluster((started) => {
    cluster = started;
  });

  const run = (
    name: string,
    { url, key }: Pick<ComputeStandIn, 'url' | 'key'>,
    env: Readonly<Record<string, string>>,
    again?: { readonly namespace: string; readonly runId: string },
  ) =>
    startCloudRun(
      cluster,
      name,
      {
        ...{
          GCP_PROJECT_ID: PROJECT,
          ZONES: ZONE,
          GCP_COMPUTE_ENDPOINT: url,
          GCP_CREDENTIALS_DIRECTORY: key,
        },
        ...{ TOTAL_CHAOS_DURATION: '30', CHAOS_INTERVAL: '30', ...env },
      },
      again,
    );

  test('instances by their names', async () => {
    await using gcp = await startCompute();
    for (const name of ['web-1', 'web-2', 'web-3']) gcp.machine(name);
    const env = { VM_INSTANCE_NAMES: 'web-1,web-2', ZONES: `${ZONE},${ZONE}` };
    const chaos = await run('gcp-vm-instance-stop', gcp, env);
    await until('both are stopped', () =>
      Promise.resolve(gcp.states('web-1', 'web-2') === 'TERMINATED TERMINATED'),
    );
    assert.equal(gcp.states('web-3'), 'RUNNING');
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.equal(gcp.states('web-1', 'web-2', 'web-3'), 'RUNNING RUNNING RUNNING');
    const result = await chaos.result();
    assert.deepEqual(ledgerOf(result), ['web-1 reverted', 'web-2 reverted']);
    assert.ok(JSON.stringify(result).includes(`VM/${PROJECT}/${ZONE}/web-1`));
    assert.doesNotMatch(JSON.stringify(result), /PRIVATE KEY/);
  });

  test('instances by their label, a share of them', async () => {
    await using gcp = await startCompute();
    for (const name of ['a', 'b', 'c', 'd']) gcp.machine(name, { team: 'shop' });
    gcp.machine('other');
    const chaos = await run('gcp-vm-instance-stop-by-label', gcp, {
      INSTANCE_LABEL: 'team:shop',
      INSTANCE_AFFECTED_PERC: '50',
    });
    const stopped = () =>
      gcp
        .states('a', 'b', 'c', 'd')
        .split(' ')
        .filter((one) => one === 'TERMINATED').length;
    await until('two are stopped', () => Promise.resolve(stopped() === 2));
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.equal(stopped(), 0);
  });

  test('a disk goes back with its device name, its mode and its deletion', async () => {
    await using gcp = await startCompute();
    gcp.machine('web-1');
    gcp.disk(
      'data',
      'web-1',
      { deviceName: 'persistent-disk-1', mode: 'READ_ONLY', autoDelete: true },
      { team: 'shop' },
    );
    gcp.disk('other', 'web-1');
    for (const [name, env] of [
      ['gcp-vm-disk-loss', { DISK_VOLUME_NAMES: 'data' }],
      ['gcp-vm-disk-loss-by-label', { DISK_VOLUME_LABEL: 'team' }],
    ] as const) {
      const before = gcp.attachment('data');
      assert.equal(before, 'web-1 persistent-disk-1 READ_ONLY deleted with it');
      const chaos = await run(name, gcp, env);
      await until('it is detached', () => Promise.resolve(gcp.attachment('data') === 'loose'));
      assert.equal(verdictOf(await chaos.outcome), 'Pass');
      assert.equal(gcp.attachment('data'), before);
    }
  });

  test('what is refused, and why', async () => {
    await using gcp = await startCompute();
    gcp.machine('web-1', { team: 'shop' });
    gcp.machine('off');
    gcp.disk('boot', 'web-1', { boot: true });
    gcp.disk('loose');
    const off = gcp.machines.get('off');
    if (off !== undefined) off.status = 'TERMINATED';
    for (const [name, env, reason] of [
      [
        'gcp-vm-instance-stop',
        { VM_INSTANCE_NAMES: 'off' },
        /it is TERMINATED; an instance has to be RUNNING/,
      ],
      ['gcp-vm-instance-stop', { VM_INSTANCE_NAMES: 'none' }, /there is no such instance/],
      ['gcp-vm-instance-stop', { VM_INSTANCE_NAMES: 'a,b' }, /ZONES/],
      ['gcp-vm-instance-stop-by-label', { INSTANCE_LABEL: 'team' }, /all 1 that the account has there/],
      ['gcp-vm-disk-loss', { DISK_VOLUME_NAMES: 'boot' }, /it is the boot disk/],
      ['gcp-vm-disk-loss', { DISK_VOLUME_NAMES: 'loose' }, /attached to no instance/],
      [
        'gcp-vm-disk-loss',
        { DISK_VOLUME_NAMES: 'data', ZONES: 'europe-west1-c' },
        /no such disk in europe-west1-c/,
      ],
    ] as const) {
      const verdict = verdictOf(await (await run(name, gcp, env)).outcome);
      assert.match(verdict, reason);
      assert.ok(verdict.startsWith('Error'), verdict);
    }
  });

  test('an API that is away when it is to be given back leaves the entry open, and a later run gives it back', async () => {
    await using gcp = await startCompute();
    gcp.machine('web-1');
    await using gate = await openGate(gcp.url, () => '');
    const env = { VM_INSTANCE_NAMES: 'web-1', TOTAL_CHAOS_DURATION: '10' };
    const at = { url: gate.url, key: gcp.key };
    const chaos = await run('gcp-vm-instance-stop', at, env);
    await until('it is stopped', () => Promise.resolve(gcp.states('web-1') === 'TERMINATED'));
    gate.rule = () => 'cut';
    assert.match(verdictOf(await chaos.outcome), /^Error/);
    assert.equal(gcp.states('web-1'), 'TERMINATED');
    gate.rule = () => undefined;
    const later = await run('gcp-vm-instance-stop', at, env, { namespace: chaos.namespace, runId: 'run2' });
    assert.equal(verdictOf(await later.outcome), 'Pass');
    assert.equal(gcp.states('web-1'), 'RUNNING');
  });
});
