import type { Store, Version } from '../../store/index.ts';
import { asJson, asString, clone, valueAt } from '../object.ts';
import { objectOf } from '../stored-object.ts';
import type { ServiceAddresses } from './allocator.ts';

const TABLE = 'services';

/**
 * Gives services whose address is not of the block one that is: after a restart another program may have the block that
 * the cluster had before. Clients that go by name do not notice, and pods are started anew with the new addresses.
 */
export function renumberServices(store: Store, block: ServiceAddresses): void {
  const addressOf = (version: Version): string => asString(valueAt(objectOf(version), 'spec', 'clusterIP'));
  const taken = new Set([...store.values(TABLE)].map(addressOf));
  for (const version of [...store.values(TABLE)]) {
    const present = addressOf(version);
    if (present === '' || present === 'None' || block.contains(present)) continue;
    const isOwn = version.key === 'default/kubernetes';
    const address = isOwn ? block.first : block.next((candidate) => taken.has(candidate));
    if (address === undefined) continue;
    taken.add(address);
    const service = clone(objectOf(version));
    service.spec = { ...asJson(service.spec), clusterIP: address, clusterIPs: [address] };
    store.update(TABLE, version, service);
  }
}
