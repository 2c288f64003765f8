import { isIP, isIPv4 } from 'node:net';
import type { TunableProblem } from '../../experiment/injection/settings/parse-tunables.ts';

/** Ports from `low` to `high`, both included. */
export interface PortRange {
  readonly low: number;
  readonly high: number;
}

/** Selects packets; JSON. All given fields must hold at once. */
export interface PacketFilter {
  /** Address or CIDR, as `ip` writes it. */
  readonly destination?: string;
  readonly destinationPort?: PortRange;
  readonly sourcePort?: PortRange;
}

/** A name that stands for addresses, with the ports at them; none means all. JSON. */
export interface HostFilter {
  readonly host: string;
  readonly ports: readonly PortRange[];
}

/** The packets of a pod to hit; JSON. */
export interface PacketSelection {
  /** These are hit; none of these and no hosts means all. */
  readonly only: readonly PacketFilter[];
  readonly hosts: readonly HostFilter[];
  /** These are left alone, whatever `only` says. */
  readonly except: readonly PacketFilter[];
}

/** The settings that choose packets, as the user gives them. */
interface SelectionSettings {
  readonly DESTINATION_IPS: readonly string[];
  readonly DESTINATION_HOSTS: readonly string[];
  readonly SOURCE_PORTS: readonly string[];
  readonly DESTINATION_PORTS: readonly string[];
}

/** A selection, and what of the settings cannot be read. */
interface ParsedSelection {
  readonly selection: PacketSelection;
  readonly problems: readonly TunableProblem[];
}

/**
 * Reads which packets to hit (compatibility reference, section 12.3): several settings are alternatives, a port list
 * that begins with `!` lists ports to leave alone. Pure.
 */
export function parseSelection(settings: SelectionSettings): ParsedSelection {
  const problems: TunableProblem[] = [];
  const only: PacketFilter[] = [];
  const hosts: HostFilter[] = [];
  const except: PacketFilter[] = [];
  for (const item of settings.DESTINATION_IPS) {
    const { name, ports } = split(item);
    if (!isAddress(name) || ports === undefined) {
      problems.push({
        variable: 'DESTINATION_IPS',
        found: item,
        expected: 'an address or CIDR, with ports as in 10.0.0.1|80|443',
      });
    } else only.push(...withPorts(name, ports));
  }
  for (const item of settings.DESTINATION_HOSTS) {
    const { name, ports } = split(item);
    if (isIP(name) !== 0 && ports !== undefined) only.push(...withPorts(name, ports));
    else if (!isHostName(name) || ports === undefined) {
      problems.push({
        variable: 'DESTINATION_HOSTS',
        found: item,
        expected: 'a host name, with ports as in db.example|5432',
      });
    } else hosts.push({ host: name, ports });
  }
  for (const variable of ['SOURCE_PORTS', 'DESTINATION_PORTS'] as const) {
    const { allow, items } = portItems(settings[variable]);
    for (const item of items) {
      const port = parsePorts(item);
      if (port === undefined) {
        problems.push({
          variable,
          found: item,
          expected: 'ports from 1 to 65535 or ranges of them, as in 80,8000-8080 or !22',
        });
        continue;
      }
      const filter = variable === 'SOURCE_PORTS' ? { sourcePort: port } : { destinationPort: port };
      (allow ? except : only).push(filter);
    }
  }
  return { selection: { only, hosts, except }, problems };
}

/** Whether it is `address` or `address/bits`, of either family. Pure. */
export function isAddress(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || address.includes('%') || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Whether an address or CIDR is one of IPv4. Pure. */
export function isVersion4(destination: string): boolean {
  return isIPv4(destination.split('/')[0] ?? '');
}

/** The filters of one address: one for each port, or one for all. Pure. */
export function withPorts(destination: string, ports: readonly PortRange[]): PacketFilter[] {
  return ports.length === 0
    ? [{ destination }]
    : ports.map((destinationPort) => ({ destination, destinationPort }));
}

/** Numbers and masks that together are a range of ports, for matchers that only know masks. Pure. */
export function portMasks({ low, high }: PortRange): { readonly value: number; readonly mask: number }[] {
  const masks: { value: number; mask: number }[] = [];
  for (let at = low; at <= high; ) {
    let size = 1;
    while (at % (size * 2) === 0 && at + size * 2 - 1 <= high) size *= 2;
    masks.push({ value: at, mask: 0x10000 - size });
    at += size;
  }
  return masks;
}

/** Undefined ports: one of them cannot be read. */
function split(item: string): { name: string; ports: readonly PortRange[] | undefined } {
  const [name = '', ...rest] = item.split('|').map((part) => part.trim());
  const ports = rest.filter((part) => part !== '').map(parsePorts);
  const readable = ports.filter((port) => port !== undefined);
  return { name, ports: readable.length === ports.length ? readable : undefined };
}

function portItems(list: readonly string[]): { allow: boolean; items: readonly string[] } {
  const [first = '', ...rest] = list;
  if (!first.startsWith('!')) return { allow: false, items: list };
  // People also write the sign in front of every port.
  return { allow: true, items: [first, ...rest].map((item) => item.replace(/^!/, '').trim()) };
}

function parsePorts(text: string): PortRange | undefined {
  const match = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text);
  if (match === null) return undefined;
  const low = Number(match[1]);
  const high = Number(match[2] ?? match[1]);
  return low >= 1 && low <= high && high <= 65_535 ? { low, high } : undefined;
}

function isHostName(text: string): boolean {
  return (
    /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?$/i.test(text) &&
    /[a-z]/i.test(text)
  );
}
