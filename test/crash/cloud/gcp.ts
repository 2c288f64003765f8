import { type ComputeStandIn, PROJECT, startCompute, ZONE } from '../../faults/cloud/support/gcp.ts';
import type { Seeded } from '../../support/seeded.ts';
import type { Peer, Scene, Vendor } from './scene.ts';

/** Compute Engine as its reference describes it. */
export const gcp: Vendor = { missing: false, start };

async function start(): Promise<Peer> {
  const compute = await startCompute();
  compute.machine('bystander');
  compute.disk('bystander', 'bystander');
  let count = 0;
  return {
    scene: (seeded) => Promise.resolve(sceneOf(compute, seeded, `s${count++}`)),
    [Symbol.asyncDispose]: () => compute[Symbol.asyncDispose](),
  };
}

function sceneOf(compute: ComputeStandIn, seeded: Seeded, name: string): Scene {
  const machines = [`${name}-a`, `${name}-b`];
  const disks = [`${name}-c`, `${name}-d`];
  const labels = { seed: name };
  for (const machine of machines) compute.machine(machine, labels);
  for (const disk of disks) {
    const shape = {
      mode: seeded.pick(['READ_ONLY', 'READ_WRITE']),
      autoDelete: seeded.chance(0.5),
      deviceName: `of-${disk}`,
    };
    compute.disk(disk, seeded.pick(machines), shape, labels);
  }
  const zones = `${ZONE},${ZONE}`;
  const [fault, own] = seeded.pick<readonly [string, Readonly<Record<string, string>>]>([
    ['gcp-vm-instance-stop', { VM_INSTANCE_NAMES: machines.join(), ZONES: zones }],
    [
      'gcp-vm-instance-stop-by-label',
      { INSTANCE_LABEL: `seed:${name}`, ZONES: ZONE, INSTANCE_AFFECTED_PERC: '100' },
    ],
    ['gcp-vm-disk-loss', { DISK_VOLUME_NAMES: disks.join(), ZONES: zones }],
    [
      'gcp-vm-disk-loss-by-label',
      { DISK_VOLUME_LABEL: `seed:${name}`, ZONES: ZONE, DISK_AFFECTED_PERC: '100' },
    ],
  ]);
  return {
    fault,
    api: compute.url,
    env: (address) => ({
      ...{ GCP_PROJECT_ID: PROJECT, GCP_COMPUTE_ENDPOINT: address, GCP_CREDENTIALS_DIRECTORY: compute.key },
      ...own,
    }),
    state: () =>
      Promise.resolve(
        [compute.states(...machines), ...disks.map((disk) => compute.attachment(disk))].join('; '),
      ),
  };
}
