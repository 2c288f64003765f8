/** vm-poweroff against a server that speaks what vCenter's REST API describes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ExperimentCluster, shareExperimentCluster } from '../../support/experiment-cluster.ts';
import { ledgerOf, startCloudRun, until, verdictOf } from './support/run-cloud-fault.ts';
import { LOGIN, startVCenter, type VCenterStandIn } from './support/vcenter.ts';

describe('vm-poweroff', { concurrency: 1 }, () => {
  let cluster: ExperimentCluster;
  shareExperimentCluster((started) => {
    cluster = started;
  });

  const run = ({ url }: Pick<VCenterStandIn, 'url'>, env: Readonly<Record<string, string>>) =>
    startCloudRun(cluster, 'vm-poweroff', {
      ...{ VCENTERSERVER: url, ...LOGIN, TOTAL_CHAOS_DURATION: '30', CHAOS_INTERVAL: '30' },
      ...env,
    });

  test('machines that are named are switched off and on again, in a session that expires meanwhile', async () => {
    await using vcenter = await startVCenter('vm-1', 'vm-2', 'vm-3');
    const chaos = await run(vcenter, { APP_VM_MOIDS: 'vm-1,vm-3' });
    await until('both are off', () =>
      Promise.resolve([...vcenter.machines.values()].join() === 'POWERED_OFF,POWERED_ON,POWERED_OFF'),
    );
    vcenter.expire();
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.deepEqual(vcenter.orders.toSorted(), ['start vm-1', 'start vm-3', 'stop vm-1', 'stop vm-3']);
    const result = await chaos.result();
    assert.deepEqual(ledgerOf(result), ['vm-1 reverted', 'vm-3 reverted']);
    assert.doesNotMatch(JSON.stringify(result), new RegExp(LOGIN.VCENTERPASS));
    assert.ok(JSON.stringify(result).includes(`VM/${vcenter.url.replace('http://', '')}/vm-1`));
  });

  test('machines with a tag, again and again', async () => {
    await using vcenter = await startVCenter('vm-1', 'vm-2', 'vm-3');
    vcenter.tags.set('other', ['vm-1']).set('shop', ['vm-2', 'vm-3']);
    vcenter.machines.set('vm-3', 'POWERED_OFF');
    const chaos = await run(vcenter, { APP_VM_TAG: 'shop', CHAOS_INTERVAL: '10' });
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    const stops = vcenter.orders.filter((order) => order === 'stop vm-2').length;
    assert.ok(stops >= 2, vcenter.orders.join());
    assert.equal(vcenter.orders.filter((order) => order === 'start vm-2').length, stops);
    assert.deepEqual([...vcenter.machines.values()], ['POWERED_ON', 'POWERED_ON', 'POWERED_OFF']);
  });

  test('what is refused, and why', async () => {
    await using vcenter = await startVCenter('vm-1', 'vm-2');
    vcenter.tags.set('all', ['vm-1', 'vm-2']);
    vcenter.machines.set('vm-9', 'POWERED_OFF');
    for (const [env, reason] of [
      [{}, /APP_VM_MOIDS/],
      [{ APP_VM_MOIDS: 'vm-9' }, /it is POWERED_OFF; a machine has to be on/],
      [{ APP_VM_MOIDS: 'vm-1,vm-77' }, /there is no such machine/],
      [{ APP_VM_TAG: 'none' }, /there are no machines with tag none/],
      [{ APP_VM_TAG: 'all' }, /all 2 that the account has there.*ALLOW_ALL_INSTANCES/],
      [{ APP_VM_MOIDS: 'vm-1', VCENTERPASS: 'guess' }, /status 401.*check VCENTERUSER and VCENTERPASS/],
      [{ APP_VM_MOIDS: 'vm-1', VCENTERSERVER: 'the server' }, /VCENTERSERVER/],
      [{ APP_VM_MOIDS: 'vm-1', VCENTERSERVER: '127.0.0.1:1' }, /ECONNREFUSED/],
    ] as const) {
      const chaos = await run(vcenter, env);
      const verdict = verdictOf(await chaos.outcome);
      assert.match(verdict, reason);
      assert.ok(verdict.startsWith('Error'));
    }
    assert.deepEqual(vcenter.orders, []);
  });

  test('more machines than vCenter lists at once', async () => {
    await using vcenter = await startVCenter(...Array.from({ length: 130 }, (_, index) => `vm-${index}`));
    vcenter.mostListed = 120;
    vcenter.tags.set('shop', ['vm-7', 'vm-129']);
    const chaos = await run(vcenter, { APP_VM_TAG: 'shop' });
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.deepEqual(vcenter.orders.toSorted(), ['start vm-129', 'start vm-7', 'stop vm-129', 'stop vm-7']);
  });

  test('an abort waits for what was accepted and comes into effect late', async () => {
    await using vcenter = await startVCenter('vm-1');
    // Longer than two looks of the run's clock, which is faster.
    vcenter.orderMs = 200;
    const chaos = await run(vcenter, { APP_VM_MOIDS: 'vm-1', TOTAL_CHAOS_DURATION: '600' });
    await until('it is ordered', () => Promise.resolve(vcenter.orders.length === 1));
    chaos.stop();
    assert.equal((await chaos.outcome).verdict, 'Stopped');
    await until('it is on', () => Promise.resolve(vcenter.machines.get('vm-1') === 'POWERED_ON'));
    assert.deepEqual(vcenter.orders, ['stop vm-1', 'start vm-1']);
    assert.deepEqual(ledgerOf(await chaos.result()), ['vm-1 reverted']);
  });

  test('an abort switches on what is off', async () => {
    await using vcenter = await startVCenter('vm-1');
    const chaos = await run(vcenter, { APP_VM_MOIDS: 'vm-1', TOTAL_CHAOS_DURATION: '600' });
    await until('it is off', () => Promise.resolve(vcenter.machines.get('vm-1') === 'POWERED_OFF'));
    chaos.stop();
    assert.equal((await chaos.outcome).verdict, 'Stopped');
    assert.equal(vcenter.machines.get('vm-1'), 'POWERED_ON');
  });
});
