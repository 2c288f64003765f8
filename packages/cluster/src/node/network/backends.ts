import type { Endpoints, Service } from '@turnsole/kube/kinds/core';
import type { EndpointSlice } from '../../controllers/shared/types.ts';

/** An address that serves a service. */
export interface Backend {
  readonly ip: string;
  readonly port: number;
}

/** One port of a service and who serves it. */
export interface ServicePort {
  /** `namespace/name`. */
  readonly service: string;
  readonly clusterIP: string;
  readonly port: number;
  readonly backends: readonly Backend[];
  /** Connections of one client go to the same backend for this long; 0 = not. */
  readonly affinityMs: number;
}

/** A service's endpoint, of a slice or of the older Endpoints. */
export interface ServiceEndpoint {
  readonly ip: string;
  readonly hostname?: string;
  readonly ready: boolean;
  /** Its pod is terminating and still serves; it takes traffic only while no endpoint is ready. */
  readonly draining: boolean;
  /** Port number by name of the service's port. */
  readonly ports: ReadonlyMap<string, number>;
}

const DEFAULT_AFFINITY_SECONDS = 10_800;

/** The endpoints of a service: of its slices, or, while it has none, of its Endpoints object; pure. */
export function endpointsOf(
  slices: readonly EndpointSlice[],
  endpoints: Endpoints | undefined,
): ServiceEndpoint[] {
  if (slices.length > 0) return slices.flatMap(ofSlice);
  return (endpoints?.subsets ?? []).flatMap((subset) => {
    const ports = new Map((subset.ports ?? []).map(({ name = '', port }) => [name, port]));
    const of = (ready: boolean) => (address: { ip: string; hostname?: string }) => ({
      ip: address.ip,
      hostname: address.hostname,
      ready,
      draining: false,
      ports,
    });
    return [...(subset.addresses ?? []).map(of(true)), ...(subset.notReadyAddresses ?? []).map(of(false))];
  });
}

function ofSlice(slice: EndpointSlice): ServiceEndpoint[] {
  const ports = new Map(
    (slice.ports ?? []).flatMap(({ name = '', port }) => (port === undefined ? [] : [[name, port] as const])),
  );
  return (slice.endpoints ?? []).flatMap(({ addresses, hostname, conditions }) =>
    addresses.map((ip) => ({
      ip,
      hostname,
      // Absent means yes (API reference: EndpointConditions).
      ready: conditions?.ready ?? true,
      draining: conditions?.serving === true && conditions.terminating === true,
      ports,
    })),
  );
}

/**
 * The ports a proxy has to serve for a service; pure. None without a cluster IP. Ready endpoints take the traffic; when
 * none is ready, those of terminating pods that still serve do.
 */
export function servicePorts(service: Service, endpoints: readonly ServiceEndpoint[]): ServicePort[] {
  const { spec, metadata } = service;
  const clusterIP = spec?.clusterIP ?? '';
  if (clusterIP === '' || clusterIP === 'None' || spec?.type === 'ExternalName') return [];
  const ready = endpoints.filter((endpoint) => endpoint.ready);
  const serving = ready.length > 0 ? ready : endpoints.filter((endpoint) => endpoint.draining);
  const affinitySeconds =
    spec?.sessionAffinity === 'ClientIP'
      ? (spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? DEFAULT_AFFINITY_SECONDS)
      : 0;
  return (spec?.ports ?? [])
    .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
    .map(({ name = '', port }) => ({
      service: `${metadata.namespace}/${metadata.name}`,
      clusterIP,
      port,
      backends: serving.flatMap((endpoint) => {
        const target = endpoint.ports.get(name);
        return target === undefined ? [] : [{ ip: endpoint.ip, port: target }];
      }),
      affinityMs: affinitySeconds * 1000,
    }));
}
