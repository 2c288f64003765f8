import type { Service } from '../../../api/core.ts';
import type { ServiceEndpoint } from './backends.ts';

/** What the preload of Node programs resolves by (preload.cjs reads it as JSON). */
export interface NameTable {
  /** `service.namespace` or `pod.service.namespace` to addresses. */
  readonly hosts: Readonly<Record<string, readonly string[]>>;
  /** `service.namespace` of a service of type ExternalName to that name. */
  readonly aliases: Readonly<Record<string, string>>;
  /** `address:port` of a service to the port that really listens, where the wanted one could not be had. */
  readonly ports: Readonly<Record<string, number>>;
}

/** A service with the endpoints it has. */
export interface NamedService {
  readonly service: Service;
  readonly endpoints: readonly ServiceEndpoint[];
}

/**
 * The names of all services, as cluster DNS would answer them; pure (DNS specification of Kubernetes).
 *
 * @param direct names of services lead to their endpoints, for machines where cluster IPs are not served
 */
export function nameTable(
  services: readonly NamedService[],
  ports: Readonly<Record<string, number>>,
  direct: boolean,
): NameTable {
  const hosts: Record<string, string[]> = {};
  const aliases: Record<string, string> = {};
  for (const { service, endpoints } of services) {
    const { metadata, spec } = service;
    const name = `${metadata.name}.${metadata.namespace}`;
    if (spec?.type === 'ExternalName') {
      if (spec.externalName !== undefined) aliases[name] = spec.externalName;
      continue;
    }
    const isHeadless = spec?.clusterIP === 'None';
    const isPublished = spec?.publishNotReadyAddresses === true;
    const known = endpoints.filter((endpoint) => endpoint.ready || isPublished);
    if (isHeadless || direct) hosts[name] = [...new Set(known.map((endpoint) => endpoint.ip))];
    else if (spec?.clusterIP !== undefined && spec.clusterIP !== '') hosts[name] = [spec.clusterIP];
    for (const { hostname, ip } of known) {
      if (hostname !== undefined && hostname !== '') hosts[`${hostname}.${name}`] = [ip];
    }
  }
  return { hosts, aliases, ports };
}
