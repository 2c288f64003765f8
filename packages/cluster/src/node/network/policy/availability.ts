import { findProgram } from '@turnsole/kube/base/machine';
import { messageOf } from '@turnsole/kube/text/error-message';
import { tryNft } from '../nft.ts';
import { policyTable } from './policy-table.ts';

/** Why NetworkPolicies cannot be enforced, as far as it shows before anything is tried; undefined when they can. */
export function policiesMissing(notIsolated: string | undefined): string | undefined {
  if (notIsolated !== undefined) return `pods are not isolated: ${notIsolated}`;
  return findProgram('nft') === undefined ? 'nft is not found in PATH; install nftables' : undefined;
}

/** Why rules of policies cannot be loaded here; undefined when they can. Never rejects. */
export async function policiesRefused(): Promise<string | undefined> {
  const allowed = [
    { addresses: ['10.0.0.2'], blocks: [], ports: [{ protocol: 'TCP' as const, low: 80, high: 90 }] },
    { addresses: [], blocks: [{ cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] }], ports: 'any' as const },
  ];
  const table = policyTable(
    { ingress: allowed, egress: allowed },
    [{ address: '10.0.0.3', protocol: 'TCP', port: 80 }],
    { node: ['10.0.0.1'], serviceCidr: '10.0.0.0/18', dns: '10.0.0.10' },
  );
  try {
    await tryNft(table);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The warning for writers of NetworkPolicies where these are not enforced. */
export function notEnforced(why: string): string {
  return `this cluster stores NetworkPolicies and does not enforce them: ${why}`;
}
