import { lookup } from 'node:dns/promises';
import type { Pod, Service } from '@turnsole/kube/kinds/core';
import { PODS, SERVICES } from '@turnsole/kube/kinds/resources';
import { SettingsError } from '../../experiment/injection/errors.ts';
import type { FaultContext } from '../../experiment/injection/fault.ts';
import { type HostFilter, type PacketFilter, withPorts } from './packet-filter.ts';

/** What resolving may use. */
interface ResolveOptions {
  /** Whether services have to be replaced by the pods behind them as well. */
  readonly mesh: boolean;
  readonly context: Pick<FaultContext, 'client' | 'signal' | 'note'>;
  /** For the timeline. */
  readonly object: string;
  /** All addresses of a name. @default the resolver of this machine, both families */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/**
 * Filters for the present addresses of hosts. Names that cannot be resolved are left out, with a line of the timeline.
 *
 * @throws SettingsError when hosts are given and none of them can be resolved: the fault would hit everything
 */
export async function addressesOf(
  hosts: readonly HostFilter[],
  options: ResolveOptions,
): Promise<readonly PacketFilter[]> {
  if (hosts.length === 0) return [];
  const { context, object } = options;
  const found = await Promise.all(hosts.map((host) => addresses(host, options)));
  const unknown = hosts.filter((_, index) => found[index]?.length === 0).map(({ host }) => host);
  if (unknown.length === hosts.length) {
    throw new SettingsError(
      `DESTINATION_HOSTS: none of ${unknown.join(', ')} can be resolved on the helper's node; check the names`,
    );
  }
  if (unknown.length > 0) {
    context.note(
      'HostsSkipped',
      object,
      `cannot resolve ${unknown.join(', ')}; the other destinations are hit`,
    );
  }
  return hosts.flatMap(({ ports }, index) =>
    (found[index] ?? []).flatMap((address) => withPorts(address, ports)),
  );
}

async function addresses({ host }: HostFilter, options: ResolveOptions): Promise<readonly string[]> {
  const { resolve = lookUp, mesh, context } = options;
  const [own, behind] = await Promise.all([
    resolve(host).catch(() => []),
    mesh ? podsBehind(host, context).catch(() => []) : [],
  ]);
  return [...new Set([...own, ...behind])];
}

async function lookUp(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Addresses of the pods behind `service.namespace.svc.cluster.local`; nothing for other names. Rejects where that is forbidden. */
async function podsBehind(
  host: string,
  { client, signal }: Pick<FaultContext, 'client' | 'signal'>,
): Promise<readonly string[]> {
  const [name = '', namespace = '', ...rest] = host.replace(/\.$/, '').split('.');
  if (rest.join('.') !== 'svc.cluster.local') return [];
  const service = await client.get<Service>(SERVICES, name, { namespace, signal });
  const selector = Object.entries(service.spec?.selector ?? {}).map(([key, value]) => `${key}=${value}`);
  if (selector.length === 0) return [];
  const { items } = await client.list<Pod>(PODS, { namespace, labelSelector: selector.join(','), signal });
  return items.flatMap(({ status }) => (status?.podIPs ?? []).flatMap(({ ip }) => ip ?? []));
}
