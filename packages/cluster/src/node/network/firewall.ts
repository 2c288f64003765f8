import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Far more than a change of rules takes, and than others hold the lock of iptables. */
const LIMIT_MS = 10_000;
const WAIT_FOR_LOCK = ['-w', '5'];

/**
 * What the machine's own firewall has to be told so that pods are heard: Docker has it drop what is forwarded, ufw also what arrives. A kernel with
 * br_netfilter asks it even of what goes from pod to pod over the bridge. Pure.
 *
 * @param listing what `iptables -S` says
 * @param cidr of the cluster's addresses
 * @returns arguments of iptables; none when the machine lets everything through
 */
export function firewallRules(listing: string, bridge: string, cidr: string): string[] {
  const isOpen = (chain: string): boolean =>
    listing.split('\n').every((line) => line.split(' ')[1] !== chain || line === `-P ${chain} ACCEPT`);
  return [
    ...(isOpen('FORWARD')
      ? []
      : [
          `-I FORWARD -i ${bridge} -j ACCEPT`,
          `-I FORWARD -o ${bridge} -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT`,
        ]),
    ...(isOpen('INPUT') ? [] : [`-I INPUT -d ${cidr} -i ${bridge} -j ACCEPT`]),
  ];
}

/** The arguments of iptables that remove the rules of a bridge; pure. The reaper does the same (reaper-script.ts). */
export function removalOf(listing: string, bridge: string): string[] {
  return listing
    .split('\n')
    .filter((line) => line.startsWith('-A ') && line.split(' ').includes(bridge))
    .map((line) => line.replace('-A', '-D'));
}

/** Has the machine's firewall let through what pods send, if it does not. Resolves to whether something has to be removed later. Never rejects. */
export async function openFirewall(bridge: string, cidr: string): Promise<boolean> {
  const rules = firewallRules(await listRules(), bridge, cidr);
  await change(rules);
  return rules.length > 0;
}

/** Removes the rules. Never rejects. */
export async function closeFirewall(bridge: string): Promise<void> {
  await change(removalOf(await listRules(), bridge));
}

/** Empty on a machine without iptables: a firewall that uses nft alone (firewalld, new Docker) is not changed. */
function listRules(): Promise<string> {
  return iptables(['-S']).catch(() => '');
}

async function change(rules: readonly string[]): Promise<void> {
  for (const rule of rules) await iptables(rule.split(' ')).catch(() => {});
}

async function iptables(args: readonly string[]): Promise<string> {
  const options = { timeout: LIMIT_MS } as const;
  return (await promisify(execFile)('iptables', [...WAIT_FOR_LOCK, ...args], options)).stdout;
}
