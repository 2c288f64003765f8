/**
 * The traffic that NetworkPolicies allow to pods, as addresses and ports. Source: networking.k8s.io/v1 API reference, and "Network
 * Policies" of the Kubernetes documentation.
 */
import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '@turnsole/kube/kinds/core';
import {
  compileLabelSelector,
  matchesLabels,
  type ParsedLabelSelector,
} from '@turnsole/kube/text/label-selector';
import { parseIPv4 } from '../../../base/ipv4.ts';

type Labels = Readonly<Record<string, string>>;
export type Protocol = 'TCP' | 'UDP' | 'SCTP';

/** A port that a container names. */
export interface NamedPort {
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
}

/** A pod with a network of its own. */
export interface PolicyPod {
  readonly uid: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly address: string;
  readonly ports: readonly NamedPort[];
}

/** Everything that rules follow from. */
interface PolicyWorld {
  readonly policies: readonly NetworkPolicy[];
  readonly pods: readonly PolicyPod[];
  /** Labels of namespaces by name. */
  readonly namespaces: ReadonlyMap<string, Labels>;
}

/** A range of addresses with holes. */
interface Block {
  readonly cidr: string;
  readonly except: readonly string[];
}

/** Ports of a protocol from `low` to `high`, both included. */
export interface PortMatch {
  readonly protocol: Protocol;
  readonly low: number;
  readonly high: number;
}

/** The peers a pod may talk with, and at which ports of the other end. */
export interface Allowance {
  /** Addresses of pods, or all. */
  readonly addresses: readonly string[] | 'any';
  readonly blocks: readonly Block[];
  readonly ports: readonly PortMatch[] | 'any';
}

/** The allowances of a pod: other traffic is cut off. Undefined: the direction is not restricted. */
export interface PodRules {
  /** For connections to the pod. */
  readonly ingress: readonly Allowance[] | undefined;
  /** For connections that it begins. */
  readonly egress: readonly Allowance[] | undefined;
}

/** The rules of the pods that policies select, by uid; others are not restricted. Pure. */
export function podRules(world: PolicyWorld): Map<string, PodRules> {
  const rules = new Map<string, { ingress?: Allowance[]; egress?: Allowance[] }>();
  for (const { metadata, spec } of world.policies) {
    const selector = compileLabelSelector(spec?.podSelector ?? {});
    const selected = world.pods.filter(
      ({ namespace, labels }) => namespace === metadata.namespace && matches(selector, labels),
    );
    if (selected.length === 0) continue;
    // The API server fills them in.
    const types = spec?.policyTypes ?? [];
    const home = metadata.namespace ?? '';
    const from = (spec?.ingress ?? []).map((rule) => ({ ...rule, peers: peersOf(rule.from, home, world) }));
    const to = (spec?.egress ?? []).map((rule) => ({ ...rule, peers: peersOf(rule.to, home, world) }));
    for (const pod of selected) {
      const own = rules.get(pod.uid) ?? {};
      rules.set(pod.uid, own);
      if (types.includes('Ingress')) {
        const allowed = from.flatMap(({ peers, ports }) => allowancesTo([pod], peers, ports));
        own.ingress = [...(own.ingress ?? []), ...allowed];
      }
      if (types.includes('Egress')) {
        const allowed = to.flatMap(({ peers, ports }) => allowancesFrom(peers, ports));
        own.egress = [...(own.egress ?? []), ...allowed];
      }
    }
  }
  return new Map([...rules].map(([uid, { ingress, egress }]) => [uid, { ingress, egress }]));
}

/** Whether allowances let a connection through with this other end, to this port of its destination. Pure. */
export function lets(
  allowances: readonly Allowance[] | undefined,
  address: string,
  protocol: Protocol,
  port: number,
): boolean {
  if (allowances === undefined) return true;
  return allowances.some(
    ({ addresses, blocks, ports }) =>
      (ports === 'any' ||
        ports.some((range) => range.protocol === protocol && range.low <= port && port <= range.high)) &&
      (addresses === 'any' ||
        addresses.includes(address) ||
        blocks.some(
          ({ cidr, except }) => isInside(cidr, address) && !except.some((hole) => isInside(hole, address)),
        )),
  );
}

/** The peers of a rule. */
interface Peers {
  readonly pods: readonly PolicyPod[] | 'any';
  readonly blocks: readonly Block[];
}

/** No peers at all mean all peers. */
function peersOf(
  peers: readonly NetworkPolicyPeer[] | undefined,
  home: string,
  { pods, namespaces }: PolicyWorld,
): Peers {
  if (peers === undefined || peers.length === 0) return { pods: 'any', blocks: [] };
  const found = new Set<PolicyPod>();
  const blocks: Block[] = [];
  for (const { ipBlock, podSelector, namespaceSelector } of peers) {
    // Pods have addresses of the fourth version only, so a block of the sixth holds none of them.
    if (ipBlock !== undefined) {
      if (isVersion4(ipBlock.cidr)) {
        blocks.push({ cidr: ipBlock.cidr, except: (ipBlock.except ?? []).filter(isVersion4) });
      }
      continue;
    }
    const ofPods = compileLabelSelector(podSelector ?? {});
    const ofNamespaces = compileLabelSelector(namespaceSelector);
    for (const pod of pods) {
      const isThere =
        namespaceSelector === undefined
          ? pod.namespace === home
          : matches(ofNamespaces, namespaces.get(pod.namespace) ?? {});
      if (isThere && matches(ofPods, pod.labels)) found.add(pod);
    }
  }
  return { pods: [...found], blocks };
}

/** Names of ports are those of the pods that are talked to: here of the pods that the policy selects. */
function allowancesTo(
  targets: readonly PolicyPod[],
  { pods, blocks }: Peers,
  ports: readonly NetworkPolicyPort[] | undefined,
): Allowance[] {
  const addresses = pods === 'any' ? pods : pods.map(({ address }) => address);
  return targets.flatMap((pod) => withPorts({ addresses, blocks }, portsOf(ports, pod.ports)));
}

/** Names of ports are those of the peers, each of which may mean another number by them. */
function allowancesFrom(
  { pods, blocks }: Peers,
  ports: readonly NetworkPolicyPort[] | undefined,
): Allowance[] {
  const isNamed = (ports ?? []).some(({ port }) => typeof port === 'string');
  if (!isNamed || pods === 'any') {
    const addresses = pods === 'any' ? pods : pods.map(({ address }) => address);
    return withPorts({ addresses, blocks }, portsOf(ports, []));
  }
  return [
    ...withPorts({ addresses: [], blocks }, portsOf(ports, [])),
    ...pods.flatMap((pod) => withPorts({ addresses: [pod.address], blocks: [] }, portsOf(ports, pod.ports))),
  ];
}

/** No ports at all mean every port of every protocol. */
function portsOf(
  ports: readonly NetworkPolicyPort[] | undefined,
  named: readonly NamedPort[],
): readonly PortMatch[] | 'any' {
  if (ports === undefined || ports.length === 0) return 'any';
  return ports.flatMap(({ protocol = 'TCP', port, endPort }): PortMatch[] => {
    const known = protocol as Protocol; // the API server lets no others in
    if (port === undefined) return [{ protocol: known, low: 0, high: 65_535 }];
    if (typeof port === 'number') return [{ protocol: known, low: port, high: endPort ?? port }];
    return named
      .filter((one) => one.name === port && one.protocol === known)
      .map((one) => ({ protocol: known, low: one.port, high: one.port }));
  });
}

function withPorts(
  who: Pick<Allowance, 'addresses' | 'blocks'>,
  ports: readonly PortMatch[] | 'any',
): Allowance[] {
  const isEmpty = (list: readonly unknown[] | 'any'): boolean => list !== 'any' && list.length === 0;
  const allowsNoClient = isEmpty(who.addresses) && who.blocks.length === 0;
  return allowsNoClient || isEmpty(ports) ? [] : [{ ...who, ports }];
}

function matches(selector: ParsedLabelSelector | undefined, labels: Labels): boolean {
  return selector !== undefined && matchesLabels(selector, labels);
}

function isVersion4(cidr: string): boolean {
  return !cidr.includes(':');
}

/** Whether a range of addresses of the fourth version, or one of them, holds an address; pure. */
export function isInside(cidr: string, address: string): boolean {
  const [base = '', bits = '32'] = cidr.split('/');
  const size = 2 ** (32 - Number(bits));
  return Math.floor(parseIPv4(base) / size) === Math.floor(parseIPv4(address) / size);
}
