import { type AzureStandIn, startAzure } from '../../faults/cloud/support/azure.ts';
import type { Seeded } from '../../support/seeded.ts';
import type { Peer, Scene, Vendor } from './scene.ts';

/** The Resource Manager as its reference describes it. */
export const azure: Vendor = { missing: false, start };

async function start(): Promise<Peer> {
  const stand = await startAzure();
  let count = 0;
  return {
    scene: (seeded) => Promise.resolve(sceneOf(stand, seeded, `s${count++}`)),
    [Symbol.asyncDispose]: () => stand[Symbol.asyncDispose](),
  };
}

function sceneOf(stand: AzureStandIn, seeded: Seeded, name: string): Scene {
  const isOfSet = seeded.chance(0.5);
  const machines = isOfSet ? [`${name}_0`, `${name}_1`] : [`${name}-a`, `${name}-b`];
  const disks = [`${name}-c`, `${name}-d`];
  stand.machine(...machines);
  for (const [lun, disk] of disks.entries()) {
    stand.disk(disk, seeded.pick(machines), {
      lun: 3 + lun,
      caching: seeded.pick(['None', 'ReadOnly', 'ReadWrite']),
      writeAcceleratorEnabled: seeded.chance(0.5),
      deleteOption: seeded.pick(['Delete', 'Detach']),
    });
  }
  const [fault, own] = seeded.pick<readonly [string, Readonly<Record<string, string>>]>([
    ['azure-instance-stop', { AZURE_INSTANCE_NAMES: machines.join() }],
    ['azure-disk-loss', { VIRTUAL_DISK_NAMES: disks.join() }],
  ]);
  return {
    fault,
    api: stand.url,
    env: (address) => ({
      ...{ ...stand.account, AZURE_RESOURCE_MANAGER_ENDPOINT: address, NODE_EXTRA_CA_CERTS: stand.authority },
      ...{ SCALE_SET: isOfSet ? 'enable' : 'disable', ...own },
    }),
    state: () =>
      Promise.resolve([stand.states(...machines), ...disks.map((disk) => stand.attachment(disk))].join('; ')),
  };
}
