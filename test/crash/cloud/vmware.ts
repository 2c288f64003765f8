import { LOGIN, startVCenter } from '../../faults/cloud/support/vcenter.ts';
import type { Seeded } from '../../support/seeded.ts';
import type { Peer, Scene, Vendor } from './scene.ts';

/** vCenter as its REST API describes it. */
export const vmware: Vendor = { missing: false, start };

async function start(): Promise<Peer> {
  const vcenter = await startVCenter();
  let count = 0;
  const scene = (seeded: Seeded): Promise<Scene> => {
    const own = Array.from({ length: seeded.between(1, 3) }, () => `vm-${++count}`);
    vcenter.machines.set(`vm-${++count}`, 'POWERED_ON');
    for (const id of own) vcenter.machines.set(id, 'POWERED_ON');
    const tag = `tag of ${own.join()}`;
    vcenter.tags.set(tag, own);
    const choice: Readonly<Record<string, string>> = seeded.chance(0.5)
      ? { APP_VM_MOIDS: own.join() }
      : { APP_VM_TAG: tag };
    return Promise.resolve({
      fault: 'vm-poweroff',
      api: vcenter.url,
      env: (address) => ({ VCENTERSERVER: address, ...LOGIN, ...choice }),
      state: () => Promise.resolve(own.map((id) => vcenter.machines.get(id)).join()),
    });
  };
  return { scene, [Symbol.asyncDispose]: () => vcenter[Symbol.asyncDispose]() };
}
