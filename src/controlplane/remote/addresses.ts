import { BlockList, isIP } from 'node:net';

/** Networks that are no public part of the internet, with the reason for messages. */
const RESERVED: readonly (readonly [network: string, bits: number, why: string])[] = [
  ['0.0.0.0', 8, 'of this machine'],
  ['127.0.0.0', 8, 'of this machine'],
  ['::', 128, 'of this machine'],
  ['::1', 128, 'of this machine'],
  ['169.254.0.0', 16, 'link-local'],
  ['fe80::', 10, 'link-local'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['172.16.0.0', 12, 'private'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'private'],
  // Of the hosts of a cloud's machines.
  ['168.63.129.16', 32, 'link-local'],
  ['fc00::', 7, 'private'],
  ['fec0::', 10, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'reserved'],
  ['198.51.100.0', 24, 'reserved'],
  ['203.0.113.0', 24, 'reserved'],
  ['224.0.0.0', 4, 'no address of one machine'],
  ['240.0.0.0', 4, 'reserved'],
  ['100::', 64, 'reserved'],
  ['2001::', 32, 'a tunnel'],
  ['2001:10::', 28, 'reserved'],
  ['2001:20::', 28, 'reserved'],
  ['3fff::', 20, 'reserved'],
  ['5f00::', 16, 'reserved'],
  ['2001:db8::', 32, 'reserved'],
  ['ff00::', 8, 'no address of one machine'],
];

/** IPv6 networks whose addresses embed an IPv4 address, and the byte at which it begins. */
const CARRIERS: readonly (readonly [network: string, bits: number, at: number])[] = [
  ['::', 96, 12],
  ['::ffff:0:0', 96, 12],
  ['::ffff:0:0:0', 96, 12],
  ['64:ff9b::', 96, 12],
  ['64:ff9b:1::', 48, 12],
  ['2002::', 16, 2],
];

/** Allowed hosts and networks of the server's own network. */
export interface AllowedAddresses {
  /** By its name as the user wrote it, in lower case. */
  readonly isHost: (host: string) => boolean;
  readonly isAddress: (address: string) => boolean;
}

/**
 * Reads a setting such as `git.corp.example, 10.2.0.0/16, 127.0.0.1`. Pure.
 *
 * @throws RangeError naming an invalid network
 */
export function allowedAddresses(setting: string): AllowedAddresses {
  const entries = setting.split(',').map((entry) => entry.trim().toLowerCase());
  const hosts = new Set(entries.filter((entry) => entry !== '' && !entry.includes('/') && isIP(entry) === 0));
  const networks = new BlockList();
  for (const entry of entries) {
    if (entry.includes('/') || isIP(entry) !== 0) addNetwork(networks, entry);
  }
  return { isHost: (host) => hosts.has(host.toLowerCase()), isAddress: (address) => isIn(networks, address) };
}

/** Adds an address or a network such as `10.2.0.0/16`. @throws RangeError naming an entry that is neither */
export function addNetwork(networks: BlockList, entry: string): void {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  const width = family === 4 ? 32 : 128;
  const length = bits === undefined ? width : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  if (family === 0 || rest.length > 0 || !(length <= width)) {
    throw new RangeError(`${JSON.stringify(entry)} is no network: expected an address and a number of bits`);
  }
  networks.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6');
}

/** Why the server refuses requests of users to an address, as part of a sentence; undefined if it allows them. Pure. */
export function addressRefusal(address: string, allowed: AllowedAddresses): string | undefined {
  const carried = carriedAddress(address);
  if (allowed.isAddress(address) || (carried !== undefined && allowed.isAddress(carried))) return undefined;
  const reasons = [address, carried].flatMap((one) =>
    one === undefined ? [] : RULES.filter(({ list }) => isIn(list, one)).map(({ why }) => why),
  );
  return reasons[0];
}

const RULES = RESERVED.map(([network, bits, why]) => ({ list: listOf(network, bits), why }));
const CARRIER_RULES = CARRIERS.map(([network, bits, at]) => ({ list: listOf(network, bits), at }));

function listOf(network: string, bits: number): BlockList {
  const list = new BlockList();
  list.addSubnet(network, bits, isIP(network) === 4 ? 'ipv4' : 'ipv6');
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** The IPv4 address embedded in an IPv6 address. */
function carriedAddress(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  const rule = CARRIER_RULES.find(({ list }) => isIn(list, address));
  if (rule === undefined) return undefined;
  return [...bytesOf(address).subarray(rule.at, rule.at + 4)].join('.');
}

/** The 16 bytes of a valid IPv6 address; a URL normalises it to one form, without dots. */
function bytesOf(address: string): Buffer {
  const plain = new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const all = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
