/** The faults of Azure against a server that speaks what the Resource Manager's reference describes. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ExperimentCluster, shareExperimentCluster } from '../../support/experiment-cluster.ts';
import { type AzureStandIn, SUBSCRIPTION, startAzure } from './support/azure.ts';
import { openGate } from './support/gate.ts';
import { ledgerOf, startCloudRun, until, verdictOf } from './support/run-cloud-fault.ts';

describe('faults of Azure', { concurrency: 1 }, () => {
  let cluster: ExperimentCluster;
  shareExperimentCluster((started) => {
    cluster = started;
  });

  const run = (
    name: string,
    { url, account }: Pick<AzureStandIn, 'url' | 'account'>,
    env: Readonly<Record<string, string>>,
    again?: { readonly namespace: string; readonly runId: string },
  ) =>
    startCloudRun(
      cluster,
      name,
      {
        ...{ AZURE_RESOURCE_MANAGER_ENDPOINT: url, ...account },
        ...{ TOTAL_CHAOS_DURATION: '30', CHAOS_INTERVAL: '30', ...env },
      },
      again,
    );

  test('machines by their names', async () => {
    await using azure = await startAzure();
    azure.machine('web-1', 'web-2', 'web-3');
    const chaos = await run('azure-instance-stop', azure, { AZURE_INSTANCE_NAMES: 'web-1,web-2' });
    await until('both are stopped', () =>
      Promise.resolve(azure.states('web-1', 'web-2') === 'stopped stopped'),
    );
    assert.equal(azure.states('web-3'), 'running');
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.equal(azure.states('web-1', 'web-2', 'web-3'), 'running running running');
    const result = await chaos.result();
    assert.deepEqual(ledgerOf(result), ['web-1 reverted', 'web-2 reverted']);
    assert.ok(JSON.stringify(result).includes(`VM/${SUBSCRIPTION}/shop-test/web-1`));
    assert.doesNotMatch(JSON.stringify(result), /a-secret-that-nobody-reads/);
  });

  test('one after the other', async () => {
    await using azure = await startAzure();
    azure.machine('web-1', 'web-2');
    const chaos = await run('azure-instance-stop', azure, {
      AZURE_INSTANCE_NAMES: 'web-1,web-2',
      SEQUENCE: 'serial',
    });
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.deepEqual(azure.orders, ['powerOff web-1', 'start web-1', 'powerOff web-2', 'start web-2']);
  });

  test('instances of scale sets, whose names may have underscores; a share of all that run', async () => {
    await using azure = await startAzure();
    azure.machine('web_blue_0', 'web_blue_1', 'web_blue_2', 'web_blue_3', 'web_blue_4');
    const four = azure.machines.get('web_blue_4');
    if (four !== undefined) four.power = 'deallocated';
    const named = await run('azure-instance-stop', azure, {
      AZURE_INSTANCE_NAMES: 'web_blue_1',
      SCALE_SET: 'enable',
    });
    assert.equal(verdictOf(await named.outcome), 'Pass');
    assert.deepEqual(azure.orders.splice(0), ['powerOff web_blue_1', 'start web_blue_1']);
    const half = await run('azure-instance-stop', azure, {
      ...{ AZURE_INSTANCE_NAMES: 'web_blue_*', SCALE_SET: 'enable', INSTANCE_AFFECTED_PERC: '50' },
    });
    assert.equal(verdictOf(await half.outcome), 'Pass');
    assert.equal(azure.orders.splice(0).filter((order) => order.startsWith('powerOff')).length, 2);
    const all = { AZURE_INSTANCE_NAMES: 'web_blue_*', SCALE_SET: 'enable' };
    assert.match(
      verdictOf(await (await run('azure-instance-stop', azure, all)).outcome),
      /these are all 4 that the account has there/,
    );
    assert.deepEqual(azure.orders, []);
    const meant = await run('azure-instance-stop', azure, { ...all, ALLOW_ALL_INSTANCES: 'true' });
    assert.equal(verdictOf(await meant.outcome), 'Pass');
    assert.equal(azure.states('web_blue_0', 'web_blue_3', 'web_blue_4'), 'running running deallocated');
  });

  test('disks go back as they were, to machines and instances of scale sets', async () => {
    await using azure = await startAzure();
    azure.machine('db-1', 'db_7');
    for (const [machine, scaleSet] of [
      ['db-1', 'disable'],
      ['db_7', 'enable'],
    ] as const) {
      const [data, log] = [`${machine}-data`, `${machine}-log`];
      azure.disk(data, machine, { lun: 5, caching: 'ReadOnly', writeAcceleratorEnabled: true });
      azure.disk(log, machine, { lun: 9, deleteOption: 'Delete', encryption: '/subscriptions/s/encryption' });
      azure.disk(`${machine}-other`, machine, { lun: 0 });
      const before = [data, log].map(azure.attachment);
      assert.deepEqual(before, [
        `${machine} 5 ReadOnly true Detach no set`,
        `${machine} 9 None false Delete /subscriptions/s/encryption`,
      ]);
      const chaos = await run('azure-disk-loss', azure, {
        VIRTUAL_DISK_NAMES: `${data},${log}`,
        SCALE_SET: scaleSet,
      });
      await until('both are detached', () =>
        Promise.resolve([data, log].every((disk) => azure.attachment(disk) === 'loose')),
      );
      assert.match(azure.attachment(`${machine}-other`), / 0 None/);
      assert.equal(verdictOf(await chaos.outcome), 'Pass');
      assert.deepEqual([data, log].map(azure.attachment), before);
      assert.ok(
        JSON.stringify(await chaos.result()).includes(`VirtualDisk/${SUBSCRIPTION}/shop-test/${data}`),
      );
    }
  });

  test('what is refused, and why', async () => {
    await using azure = await startAzure();
    azure.machine('web-1', 'off', 'web_0');
    azure.disk('loose');
    azure.disk('data', 'web_0');
    const off = azure.machines.get('off');
    if (off !== undefined) off.power = 'deallocated';
    const guessed = azure.authFile({ clientSecret: 'guess' });
    for (const [name, env, reason] of [
      [
        'azure-instance-stop',
        { AZURE_INSTANCE_NAMES: 'off' },
        /it is deallocated; a machine has to be running/,
      ],
      ['azure-instance-stop', { AZURE_INSTANCE_NAMES: 'none' }, /there is no such machine/],
      ['azure-instance-stop', { AZURE_INSTANCE_NAMES: 'web-1', SCALE_SET: 'enable' }, /AZURE_INSTANCE_NAMES/],
      [
        'azure-instance-stop',
        { AZURE_INSTANCE_NAMES: 'none_*', SCALE_SET: 'enable' },
        /there are no running instances of none_\*/,
      ],
      [
        'azure-instance-stop',
        { AZURE_INSTANCE_NAMES: 'web-1', AZURE_AUTH_LOCATION: '/nowhere' },
        /which subscription is meant/,
      ],
      [
        'azure-instance-stop',
        { AZURE_INSTANCE_NAMES: 'web-1', AZURE_AUTH_LOCATION: guessed },
        /no credentials of Azure here, or they are not accepted.*AADSTS7000215/s,
      ],
      [
        'azure-instance-stop',
        { AZURE_INSTANCE_NAMES: 'web-1', AZURE_SUBSCRIPTION_ID: '00000000-0000-0000-0000-000000000000' },
        /SubscriptionNotFound.*check the credentials/,
      ],
      ['azure-disk-loss', { VIRTUAL_DISK_NAMES: 'web-1-system' }, /it is the system disk of web-1/],
      ['azure-disk-loss', { VIRTUAL_DISK_NAMES: 'loose' }, /attached to no machine/],
      ['azure-disk-loss', { VIRTUAL_DISK_NAMES: 'data' }, /set SCALE_SET to enable/],
      ['azure-disk-loss', { VIRTUAL_DISK_NAMES: 'none' }, /no such disk in resource group shop-test/],
    ] as const) {
      const verdict = verdictOf(await (await run(name, azure, env)).outcome);
      assert.match(verdict, reason);
      assert.ok(verdict.startsWith('Error'), verdict);
      assert.doesNotMatch(verdict, /guess"|that-nobody-reads/);
    }
    assert.deepEqual(azure.orders, []);
  });

  test('throttled requests, and an operation that is not done although it was accepted, are tried again', async () => {
    await using azure = await startAzure();
    azure.machine('web-1');
    azure.throttled = 2;
    azure.failure = 'OperationPreempted';
    const chaos = await run('azure-instance-stop', azure, { AZURE_INSTANCE_NAMES: 'web-1' });
    await until('it is stopped', () => Promise.resolve(azure.states('web-1') === 'stopped'));
    azure.failure = 'AllocationFailed';
    azure.throttled = 2;
    assert.equal(verdictOf(await chaos.outcome), 'Pass');
    assert.deepEqual(azure.orders, ['powerOff web-1', 'powerOff web-1', 'start web-1', 'start web-1']);
  });

  test('an API that refuses for as long as is waited says why in the error', async () => {
    await using azure = await startAzure();
    azure.machine('web-1');
    await using gate = await openGate(azure.url, ({ method }) => method);
    const error = { error: { code: 'OperationNotAllowed', message: 'a backup holds it' } };
    gate.rule = ({ method }) =>
      method === 'POST' ? { status: 409, body: JSON.stringify(error) } : undefined;
    const env = { AZURE_INSTANCE_NAMES: 'web-1', STATUS_CHECK_TIMEOUT: '60' };
    const chaos = await run('azure-instance-stop', { url: gate.url, account: azure.account }, env);
    assert.match(
      verdictOf(await chaos.outcome),
      /cannot stop .*web-1: it is running after 60 s, and the API refuses to change that: .*a backup holds it/,
    );
    assert.ok(gate.log.filter((method) => method === 'POST').length > 1);
    assert.deepEqual(ledgerOf(await chaos.result()), ['web-1 reverted']);
  });

  test('an API that is away when it is to be given back leaves the entry open, and a later run gives it back', async () => {
    await using azure = await startAzure();
    azure.machine('web-1');
    await using gate = await openGate(azure.url, () => '');
    const env = { AZURE_INSTANCE_NAMES: 'web-1', TOTAL_CHAOS_DURATION: '10' };
    const at = { url: gate.url, account: azure.account };
    const chaos = await run('azure-instance-stop', at, env);
    await until('it is stopped', () => Promise.resolve(azure.states('web-1') === 'stopped'));
    gate.rule = () => 'cut';
    assert.match(verdictOf(await chaos.outcome), /^Error/);
    assert.equal(azure.states('web-1'), 'stopped');
    gate.rule = () => undefined;
    const later = await run('azure-instance-stop', at, env, { namespace: chaos.namespace, runId: 'run2' });
    assert.equal(verdictOf(await later.outcome), 'Pass');
    assert.equal(azure.states('web-1'), 'running');
  });

  test('an abort starts what is stopped', async () => {
    await using azure = await startAzure();
    azure.machine('web-1');
    const chaos = await run('azure-instance-stop', azure, {
      AZURE_INSTANCE_NAMES: 'web-1',
      TOTAL_CHAOS_DURATION: '600',
    });
    await until('it is stopped', () => Promise.resolve(azure.states('web-1') === 'stopped'));
    chaos.stop();
    assert.equal((await chaos.outcome).verdict, 'Stopped');
    assert.equal(azure.states('web-1'), 'running');
  });
});
