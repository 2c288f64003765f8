import type { Node, Pod, Service } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import { isBeingDeleted } from '@turnsole/kube/runtime/finalizers';
import { isReady } from '../shared/pods.ts';
import type { EndpointPort, ServicePort } from '../shared/types.ts';

/** A pod as one endpoint of a service. */
export interface ServiceEndpoint {
  readonly pod: Pod;
  readonly address: string;
  /** Ready, and not terminating; or the service wants all pods. */
  readonly ready: boolean;
  /** Ready, even while it terminates. */
  readonly serving: boolean;
  readonly terminating: boolean;
  readonly hostname: string | undefined;
  /** The service's ports as this pod serves them: named target ports may differ from pod to pod. */
  readonly ports: readonly EndpointPort[];
}

/** Whether the service has no address of its own: its name resolves to its pods. */
export function isHeadless(service: Service): boolean {
  return service.spec?.clusterIP === 'None';
}

/** Whether endpoints are made for the service; without a selector another client makes them. */
export function hasEndpoints(service: Service): boolean {
  return service.spec?.type !== 'ExternalName' && Object.keys(service.spec?.selector ?? {}).length > 0;
}

/** Address families the service wants endpoints of. */
export function familiesOf(service: Service): ('IPv4' | 'IPv6')[] {
  const families = (service.spec?.ipFamilies ?? []).filter(
    (family) => family === 'IPv4' || family === 'IPv6',
  );
  return families.length === 0 ? ['IPv4'] : families;
}

/** The pods of a service as endpoints of one address family, by name. Pods without an address, and finished ones, give no endpoint. */
export function serviceEndpoints(
  service: Service,
  pods: readonly Pod[],
  family: 'IPv4' | 'IPv6',
): ServiceEndpoint[] {
  const everybody = service.spec?.publishNotReadyAddresses === true;
  const endpoints: ServiceEndpoint[] = [];
  for (const pod of pods) {
    const address = addressOf(pod, family);
    if (address === undefined || isFinished(pod)) continue;
    const serving = isReady(pod);
    const terminating = isBeingDeleted(pod);
    const { hostname, subdomain } = pod.spec ?? {};
    endpoints.push({
      pod,
      address,
      ready: everybody || (serving && !terminating),
      serving,
      terminating,
      hostname: subdomain === service.metadata.name && hostname !== '' ? hostname : undefined,
      ports: portsOf(service, pod),
    });
  }
  return endpoints.sort((left, right) => (left.pod.metadata.name < right.pod.metadata.name ? -1 : 1));
}

function addressOf(pod: Pod, family: 'IPv4' | 'IPv6'): string | undefined {
  const addresses = [...(pod.status?.podIPs ?? []).map(({ ip }) => ip), pod.status?.podIP];
  return addresses.find((ip) => ip !== undefined && ip !== '' && ip.includes(':') === (family === 'IPv6'));
}

function portsOf(service: Service, pod: Pod): EndpointPort[] {
  const ports: EndpointPort[] = [];
  for (const servicePort of service.spec?.ports ?? []) {
    const port = resolvePort(servicePort, pod);
    // A pod without a port of that name serves the other ports all the same.
    if (port === undefined) continue;
    ports.push({
      name: servicePort.name ?? '',
      port,
      protocol: servicePort.protocol ?? 'TCP',
      ...(servicePort.appProtocol === undefined ? {} : { appProtocol: servicePort.appProtocol }),
    });
  }
  return ports;
}

/** Number of a service port's target in a pod: a number as it is, a name by the containers' ports. */
function resolvePort({ targetPort, port, protocol = 'TCP' }: ServicePort, pod: Pod): number | undefined {
  if (typeof targetPort === 'number') return targetPort === 0 ? port : targetPort;
  if (targetPort === undefined || targetPort === '') return port;
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  for (const container of [...(pod.spec?.containers ?? []), ...sidecars]) {
    for (const candidate of container.ports ?? []) {
      if (candidate.name === targetPort && (candidate.protocol ?? 'TCP') === protocol)
        return candidate.containerPort;
    }
  }
  return undefined;
}

/** Zone of the node a pod is on. */
export function zoneOf(node: Node | undefined): string | undefined {
  return node?.metadata.labels?.['topology.kubernetes.io/zone'];
}
