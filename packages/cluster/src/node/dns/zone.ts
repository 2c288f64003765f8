import { isIPv4, isIPv6 } from 'node:net';
import type { SrvData } from 'dns-packet';
import { type NamedService, publishedEndpoints } from '../network/name-table.ts';

/** What one name of the zone stands for. */
interface ZoneEntry {
  readonly addresses: readonly string[];
  readonly services: readonly SrvData[];
  /** The name outside that an ExternalName service leads to. */
  readonly alias?: string;
}

/** All names of the cluster, ready to be asked. */
export interface Zone {
  /** `cluster.local`, without dots at its ends, in lower case. */
  readonly domain: string;
  /** By full name in lower case. Names that only have names below them are in it, with nothing of their own. */
  readonly entries: ReadonlyMap<string, ZoneEntry>;
  /** Names by address, for reverse look-ups. */
  readonly pointers: ReadonlyMap<string, readonly string[]>;
}

interface Entry {
  readonly addresses: Set<string>;
  readonly services: SrvData[];
  alias?: string;
}

/** Sum of the weights of a name's SRV records, as CoreDNS shares it out. */
const TOTAL_WEIGHT = 100;

/**
 * The zone that services and their endpoints make; pure.
 *
 * Follows the specification "Kubernetes DNS-Based Service Discovery" 1.1: a headless service without published endpoints
 * has no name, one with a cluster IP always has. Names of endpoints are their hostname or their address with dashes.
 */
export function buildZone(services: readonly NamedService[], domain: string): Zone {
  const entries = new Map<string, Entry>();
  const pointers = new Map<string, Set<string>>();
  const zone = domain.toLowerCase();
  const entry = (name: string): Entry => entryOf(entries, zone, name.toLowerCase());
  const point = (address: string, name: string): void => {
    const names = pointers.get(address) ?? new Set();
    pointers.set(address, names.add(name));
  };
  for (const top of [`svc.${zone}`, `pod.${zone}`]) entry(top);
  for (const named of services) {
    const { metadata, spec } = named.service;
    const base = `${metadata.name}.${metadata.namespace}.svc.${zone}`;
    if (spec?.type === 'ExternalName') {
      // An address is no name that an alias could lead to (CoreDNS answers as if there were no such service).
      if (spec.externalName === undefined || isAddress(spec.externalName)) continue;
      entry(base).alias = spec.externalName.replace(/\.$/, '');
      continue;
    }
    const clusterIPs = (spec?.clusterIPs ?? [spec?.clusterIP ?? '']).filter(isAddress);
    for (const address of clusterIPs) {
      entry(base).addresses.add(address);
      point(address, base);
    }
    const ports = (spec?.ports ?? []).map(({ name = '', protocol = 'TCP', port }) => ({
      name,
      label: `_${name}._${protocol.toLowerCase()}.${base}`,
      port,
    }));
    if (clusterIPs.length > 0) {
      for (const { name, label, port } of ports) addPort(entry, base, name, label, { port, target: base });
    }
    for (const { ip, hostname = '', ports: targets } of publishedEndpoints(named)) {
      if (!isAddress(ip)) continue;
      const host = `${hostname === '' ? dashed(ip) : hostname}.${base}`;
      entry(host).addresses.add(ip);
      point(ip, host);
      if (clusterIPs.length > 0) continue;
      entry(base).addresses.add(ip);
      for (const { name, label } of ports) {
        const port = targets.get(name);
        if (port !== undefined) addPort(entry, base, name, label, { port, target: host });
      }
    }
  }
  return {
    domain: zone,
    entries: new Map(
      [...entries].map(([name, found]) => [
        name,
        { ...found, addresses: [...found.addresses], services: shareWeight(found.services) },
      ]),
    ),
    pointers: new Map([...pointers].map(([address, names]) => [address, [...names]])),
  };
}

/** The address that a label such as `10-1-2-3` or `fd00--1` stands for; undefined when it is none. */
export function addressOfLabel(label: string): string | undefined {
  return [label.replaceAll('-', '.'), label.replaceAll('-', ':')].find(isAddress);
}

function entryOf(entries: Map<string, Entry>, zone: string, name: string): Entry {
  const present = entries.get(name);
  if (present !== undefined) return present;
  const made: Entry = { addresses: new Set(), services: [] };
  entries.set(name, made);
  // Names above exist as well: asked for, they have no records, which is not the same as not being there (RFC 8020).
  if (name !== zone) entryOf(entries, zone, name.slice(name.indexOf('.') + 1));
  return made;
}

function addPort(
  entry: (name: string) => Entry,
  base: string,
  name: string,
  label: string,
  data: SrvData,
): void {
  entry(base).services.push(data);
  if (name !== '') entry(label).services.push(data);
}

function shareWeight(services: readonly SrvData[]): SrvData[] {
  const weight = Math.max(1, Math.floor(TOTAL_WEIGHT / services.length));
  return services.map((service) => ({ ...service, priority: 0, weight }));
}

function isAddress(text: string): boolean {
  return isIPv4(text) || isIPv6(text);
}

function dashed(address: string): string {
  return address.replaceAll(/[.:]/g, '-');
}
