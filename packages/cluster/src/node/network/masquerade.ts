import { writeFileSync } from 'node:fs';
import { readOrEmpty } from '@turnsole/kube/base/machine';
import { runNft } from './nft.ts';

/** Rules of nft(8) by which pods speak to the world with the host's address, but to each other with their own; pure. */
function masqueradeRules(table: string, podsCidr: string, ownCidr: string): string {
  return `table ip ${table} {
  chain postrouting {
    type nat hook postrouting priority 100;
    ip saddr ${podsCidr} ip daddr != ${ownCidr} masquerade
  }
}
`;
}

/**
 * Lets pods reach what is beyond the machine, if it forwards and has nft; does nothing otherwise. Resolves to whether
 * something has to be removed later. Never rejects.
 */
export async function addMasquerade(table: string, podsCidr: string, ownCidr: string): Promise<boolean> {
  if (!isForwarding()) return false;
  return runNft(masqueradeRules(table, podsCidr, ownCidr)).then(
    () => true,
    () => false,
  );
}

/** Removes the rules. Never rejects. */
export async function removeMasquerade(table: string): Promise<void> {
  await runNft(`delete table ip ${table}\n`).catch(() => {});
}

const FORWARDING = '/proc/sys/net/ipv4/ip_forward';

/** Has a network of the cluster's own forward packets; whether the machine's does is for its administrator to say. */
export function forwardPackets(): void {
  writeFileSync(FORWARDING, '1');
}

function isForwarding(): boolean {
  return readOrEmpty(FORWARDING).trim() === '1';
}
