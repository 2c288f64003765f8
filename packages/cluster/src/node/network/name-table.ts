import { type Endpoints, objectKey, type Service } from '@turnsole/kube/kinds/core';
import type { EndpointSlice } from '../../controllers/shared/types.ts';
import { endpointsOf, type ServiceEndpoint } from './backends.ts';

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

/** The label of an endpoint slice that names its service. */
const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';

/**
 * Every service with its endpoints, from the known services, slices and Endpoints; pure.
 *
 * @param endpointsFor the Endpoints object of a key, which counts while a service has no slices
 */
export function namedServices(
  services: readonly Service[],
  slices: readonly EndpointSlice[],
  endpointsFor: (key: string) => Endpoints | undefined,
): NamedService[] {
  const byService = Map.groupBy(
    slices,
    ({ metadata }) => `${metadata.namespace}/${metadata.labels?.[SERVICE_NAME_LABEL] ?? ''}`,
  );
  return services.map((service) => {
    const key = objectKey(service);
    return { service, endpoints: endpointsOf(byService.get(key) ?? [], endpointsFor(key)) };
  });
}

/** The endpoints that have a name: those that are ready, or all where the service says so; pure. */
export function publishedEndpoints({ service, endpoints }: NamedService): ServiceEndpoint[] {
  const isPublished = service.spec?.publishNotReadyAddresses === true;
  return endpoints.filter((endpoint) => endpoint.ready || isPublished);
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
  for (const named of services) {
    const { metadata, spec } = named.service;
    const name = `${metadata.name}.${metadata.namespace}`;
    if (spec?.type === 'ExternalName') {
      if (spec.externalName !== undefined) aliases[name] = spec.externalName;
      continue;
    }
    const isHeadless = spec?.clusterIP === 'None';
    const known = publishedEndpoints(named);
    if (isHeadless || direct) hosts[name] = [...new Set(known.map((endpoint) => endpoint.ip))];
    else if (spec?.clusterIP !== undefined && spec.clusterIP !== '') hosts[name] = [spec.clusterIP];
    for (const { hostname, ip } of known) {
      if (hostname !== undefined && hostname !== '') hosts[`${hostname}.${name}`] = [ip];
    }
  }
  return { hosts, aliases, ports };
}
