import type { TunableProblem } from '../../experiment/injection/settings/parse-tunables.ts';
import { isVersion4 } from './packet-filter.ts';

/** What cutting a pod off takes, as far as settings say it. */
interface PartitionSettings {
  readonly POLICY_TYPES: string;
  readonly POD_SELECTOR: string;
  readonly NAMESPACE_SELECTOR: string;
  readonly PORTS: string;
}

/** One rule's ports and peers, and the directions they hold for; JSON. */
export interface PartitionRule {
  readonly types: readonly ('Ingress' | 'Egress')[];
  readonly podLabels?: Readonly<Record<string, string>>;
  readonly namespaceLabels?: Readonly<Record<string, string>>;
  readonly ports: readonly { readonly protocol: string; readonly port?: number }[];
}

/** A rule, and what of the settings cannot be read. */
interface ParsedPartition {
  readonly rule: PartitionRule;
  readonly problems: readonly TunableProblem[];
}

/** Reads the settings of a partition (compatibility reference, section 12.4); pure. */
export function parsePartition(settings: PartitionSettings): ParsedPartition {
  const problems: TunableProblem[] = [];
  const labels = (variable: 'POD_SELECTOR' | 'NAMESPACE_SELECTOR') => {
    if (settings[variable] === '') return undefined;
    const parsed = parseLabels(settings[variable]);
    if (parsed === undefined) {
      problems.push({ variable, found: settings[variable], expected: 'key=value, several with commas' });
    }
    return parsed;
  };
  const [podLabels, namespaceLabels] = [labels('POD_SELECTOR'), labels('NAMESPACE_SELECTOR')];
  const ports = parsePorts(settings.PORTS);
  if (ports === undefined) {
    problems.push({
      variable: 'PORTS',
      found: settings.PORTS,
      expected: 'for example tcp: [80,443], udp: [53]',
    });
  }
  const { POLICY_TYPES } = settings;
  return {
    rule: {
      types:
        POLICY_TYPES === 'ingress'
          ? ['Ingress']
          : POLICY_TYPES === 'egress'
            ? ['Egress']
            : ['Ingress', 'Egress'],
      podLabels,
      namespaceLabels,
      ports: ports ?? [],
    },
    problems,
  };
}

/**
 * The spec of a NetworkPolicy that cuts pods off; pure.
 *
 * Without peers and ports everything is cut off. With addresses only these are: all others stay reachable, of both
 * families, since a block of one family cannot except addresses of the other.
 */
export function partitionSpec(
  podLabels: Readonly<Record<string, string>>,
  rule: PartitionRule,
  addresses: readonly string[],
) {
  const peers = [
    ...(rule.podLabels === undefined && rule.namespaceLabels === undefined
      ? []
      : [
          {
            ...(rule.namespaceLabels === undefined
              ? {}
              : { namespaceSelector: { matchLabels: rule.namespaceLabels } }),
            ...(rule.podLabels === undefined ? {} : { podSelector: { matchLabels: rule.podLabels } }),
          },
        ]),
    ...(addresses.length === 0 ? [] : openBlocks(addresses)),
  ];
  const { ports } = rule;
  const isClosed = peers.length === 0 && ports.length === 0;
  const withPorts = ports.length === 0 ? {} : { ports };
  const rulesOf = (side: 'from' | 'to') =>
    isClosed ? [] : [{ ...(peers.length === 0 ? {} : { [side]: peers }), ...withPorts }];
  return {
    podSelector: { matchLabels: podLabels },
    policyTypes: [...rule.types],
    ...(rule.types.includes('Ingress') ? { ingress: rulesOf('from') } : {}),
    ...(rule.types.includes('Egress') ? { egress: rulesOf('to') } : {}),
  };
}

/** Labels by which controllers distinguish pods of one workload; without them all pods of it are meant, later ones too. */
const PER_POD = [
  'pod-template-hash',
  'controller-revision-hash',
  'pod-template-generation',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
  'rollouts-pod-template-hash',
];

/** The labels of a pod that its replacement will have as well; pure. */
export function lastingLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !PER_POD.includes(key)));
}

function openBlocks(addresses: readonly string[]) {
  return [
    { cidr: '0.0.0.0/0', except: blocks(addresses, true) },
    { cidr: '::/0', except: blocks(addresses, false) },
  ].map(({ cidr, except }) => ({ ipBlock: { cidr, ...(except.length === 0 ? {} : { except }) } }));
}

function blocks(addresses: readonly string[], version4: boolean): string[] {
  return addresses
    .filter((address) => isVersion4(address) === version4)
    .map((address) => (address.includes('/') ? address : `${address}/${version4 ? 32 : 128}`));
}

function parseLabels(text: string): Record<string, string> | undefined {
  const items = text
    .split(',')
    .map((item) => /^\s*([A-Za-z0-9./_-]+)\s*={1,2}\s*([A-Za-z0-9._-]*)\s*$/.exec(item));
  return items.includes(null) ? undefined : Object.fromEntries(items.map((item) => [item?.[1], item?.[2]]));
}

/** `tcp: [80,443], udp: [53]`; undefined for any other text. An empty list means nothing of that protocol. */
function parsePorts(text: string): { protocol: string; port: number }[] | undefined {
  const list = /\s*(tcp|udp|sctp)\s*:\s*\[([\d,\s]*)\]\s*(?:,|$)/giy;
  const found: { protocol: string; port: number }[] = [];
  for (let at = 0; at < text.trim().length; at = list.lastIndex) {
    list.lastIndex = at;
    const [, protocol = '', ports = ''] = list.exec(text.trim()) ?? [];
    if (protocol === '') return undefined;
    for (const port of ports.split(',').map((item) => item.trim())) {
      if (port === '') continue;
      if (Number(port) < 1 || Number(port) > 65_535) return undefined;
      found.push({ protocol: protocol.toUpperCase(), port: Number(port) });
    }
  }
  return found;
}
