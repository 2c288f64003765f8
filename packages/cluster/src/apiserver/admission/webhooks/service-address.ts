import type { Store } from '../../../store/index.ts';
import { asJson, asList, asNumber, asObjects, asString, valueAt } from '../../object.ts';
import { objectOf } from '../../stored-object.ts';

/** Where a pod of a service answers. */
interface PodAddress {
  readonly host: string;
  readonly port: number;
}

/** The first ready pod of a service, asked directly: the server is no pod and has no proxy before it. A text says what is missing. */
export function addressOfService(
  store: Store,
  namespace: string,
  name: string,
  port: number,
): PodAddress | string {
  const service = store.get('services', namespace, name);
  if (service === undefined) return `service "${name}" not found`;
  const offered = asObjects(valueAt(objectOf(service), 'spec', 'ports')).find((entry) => entry.port === port);
  if (offered === undefined) return `service port ${port} not found`;
  const endpoints = store.get('endpoints', namespace, name);
  const wanted = asString(offered.name);
  for (const subset of asObjects(endpoints === undefined ? [] : objectOf(endpoints).subsets)) {
    const [address] = asList(subset.addresses);
    const target = asObjects(subset.ports).find((entry) => asString(entry.name) === wanted);
    if (address !== undefined && target !== undefined) {
      return { host: asString(asJson(address).ip), port: asNumber(target.port) };
    }
  }
  return `no endpoints available for service "${name}"`;
}
