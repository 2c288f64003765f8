import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAccount } from './auth-file.ts';
import { isOutage, kindOf } from './azure-api.ts';
import { lookAtDisk } from './azure-disk-loss.ts';
import { lookAtMachine, nameProblems } from './azure-instance-stop.ts';
import { machineNamed, machineOf, nameOf, ofMachine, powerIn } from './machines.ts';

const GROUP = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute';

test('a machine by its state', () => {
  const rows = {
    running: 'there',
    stopped: 'taken',
    deallocated: 'taken',
    stopping: 'going',
    deallocating: 'going',
    starting: 'coming',
    unknown: 'coming',
  };
  for (const [power, state] of Object.entries(rows)) assert.equal(lookAtMachine(power).state, state, power);
  assert.equal(lookAtMachine(undefined).state, 'gone');
  assert.equal(
    powerIn({ statuses: [{ code: 'ProvisioningState/updating' }, { code: 'PowerState/running' }] }),
    'running',
  );
  assert.equal(powerIn({ statuses: [{ code: 'ProvisioningState/creating' }] }), 'unknown');
});

test('machines by their names and by the ids of their resources', () => {
  const instance = { group: 'g', set: 'web_blue', name: '3' };
  assert.deepEqual(machineNamed('g', 'web_blue_3', true), instance);
  assert.deepEqual(machineNamed('g', 'web_3', false), { group: 'g', name: 'web_3' });
  assert.deepEqual(machineOf(`${GROUP}/virtualMachineScaleSets/web_blue/virtualMachines/3`), instance);
  assert.deepEqual(machineOf(`${GROUP.toLowerCase()}/virtualmachines/web`), { group: 'g', name: 'web' });
  assert.equal(machineOf(`${GROUP}/disks/web`), undefined);
  assert.equal(nameOf(instance), 'web_blue_3');
  assert.deepEqual(ofMachine(instance, 'start/action'), {
    permission: 'Microsoft.Compute/virtualMachineScaleSets/virtualMachines/start/action',
    path: 'resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/web_blue/virtualMachines/3/start',
  });
});

test('names that fit the kind of machines', () => {
  const problems = (SCALE_SET: 'enable' | 'disable', ...names: string[]) =>
    nameProblems({ AZURE_INSTANCE_NAMES: names, SCALE_SET }).map(({ found }) => found);
  assert.deepEqual(problems('enable', 'web_0', 'web_*'), []);
  assert.deepEqual(problems('enable', 'web', 'web_ab', '_1', 'web_1'), ['web,web_ab,_1']);
  assert.deepEqual(problems('disable', 'web', 'web_ab', 'web_1'), []);
  assert.deepEqual(problems('disable', 'web_*'), ['web_*']);
});

test('a disk beside how it was', () => {
  const id = `${GROUP}/disks/data`;
  const was = { machine: { group: 'g', name: 'web' }, attachment: { diskId: id, lun: 4 } };
  const owned = (...owners: string[]) => {
    const [managedBy, ...managedByExtended] = owners.map((owner) => `${GROUP}/virtualMachines/${owner}`);
    return { id, ...(managedBy === undefined ? {} : { managedBy, managedByExtended }) };
  };
  const machine = (...dataDisks: object[]) => ({ properties: { storageProfile: { dataDisks } } });
  const attached = { lun: 4, managedDisk: { id: id.toUpperCase() } };
  const rows = [
    [owned('WEB'), machine(attached), 'there'],
    [owned('web'), machine({ ...attached, lun: 5 }), 'gone'],
    [owned('web'), machine({ ...attached, toBeDetached: true }), 'going'],
    // The machine says so first.
    [owned('web'), machine(), 'going'],
    [owned(), machine(attached), 'coming'],
    [owned(), machine(), 'taken'],
    [owned(), undefined, 'gone'],
    [owned('other'), machine(), 'gone'],
    [owned('web', 'other'), machine(attached), 'gone'],
    [undefined, machine(), 'gone'],
  ] as const;
  for (const [index, [disk, of, state]] of rows.entries())
    assert.equal(lookAtDisk(disk, of, was).state, state, `row ${index}`);
});

test('errors by their status and code', () => {
  const rows = [
    [429, 'TooManyRequests', 'throttled'],
    [401, 'InvalidAuthenticationToken', 'denied'],
    [403, 'AuthorizationFailed', 'denied'],
    [404, 'SubscriptionNotFound', 'denied'],
    [404, 'ResourceNotFound', 'gone'],
    [409, 'OperationNotAllowed', 'busy'],
    [400, 'AttachDiskWhileBeingDetached', 'busy'],
    [400, 'InvalidParameter', 'refused'],
    [408, 'RequestTimeout', 'unavailable'],
    [503, 'ServiceUnavailable', 'unavailable'],
  ] as const;
  for (const [status, code, kind] of rows) assert.equal(kindOf(status, code), kind, code);
  assert.equal(isOutage('endpoints_resolution_error: Endpoints cannot be resolved'), true);
  const chain =
    'ChainedTokenCredential failed.\nCredentialUnavailableError: ManagedIdentityCredential: network_error';
  assert.equal(isOutage(chain), false);
  assert.equal(isOutage(`${chain}\nAuthenticationError: WorkloadIdentityCredential: network_error`), true);
  assert.equal(isOutage('invalid_client: AADSTS7000215: Invalid client secret provided.'), false);
});

test('the account that a file of credentials means', () => {
  const settings = {
    AZURE_AUTH_LOCATION: '/tmp/azure.auth',
    AZURE_SUBSCRIPTION_ID: '',
    AZURE_RESOURCE_MANAGER_ENDPOINT: '',
  };
  const account = (fields: object, more: Partial<typeof settings> = {}) =>
    parseAccount(JSON.stringify(fields), { ...settings, ...more });
  const principal = { tenantId: 't', clientId: 'c', clientSecret: 's' };
  const open = {
    subscription: 'sub',
    endpoint: 'https://management.azure.com',
    audience: 'https://management.azure.com',
  };
  assert.deepEqual(account({ subscriptionId: 'sub' }), open);
  assert.deepEqual(account({ subscriptionId: 'sub', ...principal }), { ...open, principal });
  assert.deepEqual(
    account({
      ...{
        subscriptionId: 'sub',
        ...principal,
        activeDirectoryEndpointUrl: 'https://login.chinacloudapi.cn',
      },
      resourceManagerEndpointUrl: 'https://management.chinacloudapi.cn/',
    }),
    {
      subscription: 'sub',
      endpoint: 'https://management.chinacloudapi.cn',
      audience: 'https://management.chinacloudapi.cn/',
      principal: { ...principal, authority: 'https://login.chinacloudapi.cn' },
    },
  );
  // Another address of the same cloud: tokens are for the cloud.
  assert.deepEqual(
    account(
      { subscriptionId: 'sub' },
      { AZURE_RESOURCE_MANAGER_ENDPOINT: 'http://inside/', AZURE_SUBSCRIPTION_ID: 'own' },
    ),
    { ...open, subscription: 'own', endpoint: 'http://inside' },
  );
  for (const [text, message] of [
    ['', /does not exist, and AZURE_SUBSCRIPTION_ID is not set/],
    ['{}', /has no subscriptionId/],
    ['{"clientSecret": "hidden"', /is not JSON$/],
    ['[]', /has to have an object/],
    [
      JSON.stringify({ subscriptionId: 'sub', clientSecret: 'hidden' }),
      /has to have tenantId, clientId and clientSecret/,
    ],
  ] as const) {
    assert.throws(() => parseAccount(text, settings), message);
  }
});
