import type { ServicePort } from '../backends.ts';
import { lets, type PodRules, type PolicyPod, type Protocol } from './pod-rules.ts';
import type { BlockedPort } from './policy-table.ts';

/** Which pods may talk with which, as far as policies say. */
export interface Reach {
  /** By uid; a pod that is not in it is not restricted. */
  readonly rules: ReadonlyMap<string, PodRules>;
  readonly byAddress: ReadonlyMap<string, PolicyPod>;
}

/** The destinations of connections. */
interface Destination {
  readonly address: string;
  readonly protocol: Protocol;
  readonly port: number;
}

/** Whether policies let a connection through, from both ends' view. What is not a pod is not restricted; nor is a pod to itself. Pure. */
export function mayTalk({ rules, byAddress }: Reach, from: string, to: Destination): boolean {
  const { address, protocol, port } = to;
  const [source, target] = [byAddress.get(from), byAddress.get(address)];
  // The node, which the host is for all pods, may always talk with them.
  if (source === undefined || from === address) return true;
  return (
    lets(rules.get(source.uid)?.egress, address, protocol, port) &&
    (target === undefined || lets(rules.get(target.uid)?.ingress, from, protocol, port))
  );
}

/** Whether a pod may talk with a backend of a service; pure. */
export function mayTalkBy(
  reach: Reach,
  from: string,
  service: Pick<ServicePort, 'clusterIP' | 'port'>,
  { ip, port }: ServicePort['backends'][number],
): boolean {
  // The API server listens on the host's loopback; for pods its address is that of its service.
  const to = ip.startsWith('127.')
    ? { address: service.clusterIP, port: service.port }
    : { address: ip, port };
  return mayTalk(reach, from, { ...to, protocol: 'TCP' });
}

/**
 * The ports of services that a pod cannot talk with, because it may talk with none of their backends; pure. Services without backends
 * are left out: they refuse all clients.
 */
export function blockedPorts(reach: Reach, from: string, services: readonly ServicePort[]): BlockedPort[] {
  if (reach.rules.size === 0) return [];
  return services
    .filter(
      (service) =>
        service.backends.length > 0 &&
        !service.backends.some((backend) => mayTalkBy(reach, from, service, backend)),
    )
    .map(({ clusterIP, port }) => ({ address: clusterIP, protocol: 'TCP', port }));
}
