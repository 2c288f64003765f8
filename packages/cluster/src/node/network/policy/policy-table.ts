import type { Allowance, PodRules, PortMatch, Protocol } from './pod-rules.ts';

/** Name of the table in the network namespaces of pods. */
const POLICY_TABLE = 'inet turnsole-policy';

/** A port of a service none of whose backends a pod may talk with. */
export interface BlockedPort {
  readonly address: string;
  readonly protocol: Protocol;
  readonly port: number;
}

/** Addresses that have a meaning of their own for a pod. */
export interface PolicyPlaces {
  /** The node that it runs on, which may always talk with it. */
  readonly node: readonly string[];
  /** Services, which are judged by their backends: {@link BlockedPort}. */
  readonly serviceCidr: string;
  /** Cluster DNS: among the services' addresses, but judged as a pod. */
  readonly dns: string;
}

/** Removes the rules of a pod, whether it has any or not. */
export const NO_RULES = `table ${POLICY_TABLE}\ndelete table ${POLICY_TABLE}\n`;

/**
 * The rules of nft(8) for the network namespace of a pod, in place of those that are there; pure.
 *
 * Every packet is judged by the connection it belongs to, in the direction in which that was begun: so answers pass where
 * questions do, and a connection that is not allowed any more is cut off in its midst. What was redirected on its way, as by faults
 * on HTTP and DNS, is judged by where it wanted to go. Of a connection that was under way before there were any rules, its first packet
 * since says who began it.
 */
export function policyTable(
  { ingress, egress }: PodRules,
  blocked: readonly BlockedPort[],
  places: PolicyPlaces,
): string {
  if (ingress === undefined && egress === undefined && blocked.length === 0) return NO_RULES;
  return `${NO_RULES}table ${POLICY_TABLE} {
  chain to-pod {
${lines(chainOf('saddr', ingress, places))}
  }
  chain from-pod {
${lines([...blocked.map(dropService), ...(egress === undefined ? [] : serviceRules(places)), ...chainOf('daddr', egress, places)])}
  }
  chain input {
    type filter hook input priority filter;
    iif lo accept
    ct state related accept
    ct direction reply goto from-pod
    goto to-pod
  }
  chain output {
    type filter hook output priority filter;
    oif lo accept
    ct state related accept
    ct direction reply goto to-pod
    goto from-pod
  }
}
`;
}

function chainOf(
  end: 'saddr' | 'daddr',
  allowances: readonly Allowance[] | undefined,
  { node }: PolicyPlaces,
): string[] {
  if (allowances === undefined) return ['accept'];
  return [
    `ct original ip ${end} ${setOf(node)} accept`,
    ...allowances.flatMap((allowance) => acceptRules(end, allowance)),
    'drop',
  ];
}

function dropService({ address, protocol, port }: BlockedPort): string {
  return `ct original ip daddr ${address} meta l4proto ${protocol.toLowerCase()} ct original proto-dst ${port} drop`;
}

/** Rules of services; those without a reachable backend have been dropped before. */
function serviceRules({ serviceCidr, dns }: PolicyPlaces): string[] {
  return [`ct original ip daddr ${serviceCidr} ct original ip daddr != ${dns} accept`];
}

function acceptRules(end: 'saddr' | 'daddr', { addresses, blocks, ports }: Allowance): string[] {
  const ends =
    addresses === 'any'
      ? ['']
      : [
          ...(addresses.length === 0 ? [] : [`ct original ip ${end} ${setOf(addresses)} `]),
          ...blocks.map(({ cidr, except }) =>
            [cidr === '0.0.0.0/0' ? 'meta nfproto ipv4 ' : `ct original ip ${end} ${cidr} `]
              .concat(except.map((hole) => `ct original ip ${end} != ${hole} `))
              .join(''),
          ),
        ];
  return ends.flatMap((match) => portMatches(ports).map((port) => `${match}${port}accept`));
}

function portMatches(ports: readonly PortMatch[] | 'any'): string[] {
  if (ports === 'any') return [''];
  return ports.map(({ protocol, low, high }) => {
    const isWhole = low === 0 && high === 65_535;
    const range = low === high ? String(low) : `${low}-${high}`;
    return `meta l4proto ${protocol.toLowerCase()} ${isWhole ? '' : `ct original proto-dst ${range} `}`;
  });
}

function setOf(addresses: readonly string[]): string {
  return `{ ${[...new Set(addresses)].sort().join(', ')} }`;
}

function lines(rules: readonly string[]): string {
  return rules.map((rule) => `    ${rule}`).join('\n');
}
