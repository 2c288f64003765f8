import type { Endpoints, Pod, Service } from '../../../api/core.ts';
import { equalJson } from '../shared/equal.ts';
import { canonicalJson } from '../shared/hash.ts';
import type { EndpointAddress, EndpointSubset } from '../shared/types.ts';
import { familiesOf, isHeadless, type ServiceEndpoint, serviceEndpoints } from './service-pods.ts';

const HEADLESS = 'service.kubernetes.io/headless';
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';

/** The Endpoints object a service should have; `undefined` when the present one is as it should be. */
export function decideEndpoints(
  service: Service,
  pods: readonly Pod[],
  present: Endpoints | undefined,
): Endpoints | undefined {
  const { name, namespace } = service.metadata;
  const subsets = toSubsets(service, pods);
  const labels = {
    ...service.metadata.labels,
    [MANAGED_BY]: 'endpoint-controller',
    ...(isHeadless(service) ? { [HEADLESS]: '' } : {}),
  };
  if (
    present !== undefined &&
    equalJson(present.subsets, subsets) &&
    equalJson(present.metadata.labels, labels)
  ) {
    return undefined;
  }
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      ...present?.metadata,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
    },
    ...(subsets.length === 0 ? {} : { subsets }),
  };
}

/** Addresses that serve the same ports share a subset. Pods on their way out are left out, unless everybody is wanted. */
function toSubsets(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const [family = 'IPv4'] = familiesOf(service);
  const everybody = service.spec?.publishNotReadyAddresses === true;
  const endpoints = serviceEndpoints(service, pods, family).filter(
    ({ terminating }) => everybody || !terminating,
  );
  const hasPorts = (service.spec?.ports ?? []).length > 0;
  const serving = endpoints.filter(({ ports }) => ports.length > 0 || !hasPorts);
  const groups = Map.groupBy(serving, ({ ports }) => canonicalJson(ports));
  return [...groups]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, members]) => toSubset(members));
}

function toSubset(members: readonly ServiceEndpoint[]): EndpointSubset {
  const addresses = members.filter(({ ready }) => ready).map(toAddress);
  const notReady = members.filter(({ ready }) => !ready).map(toAddress);
  const ports = (members[0]?.ports ?? []).map(({ name, port = 0, protocol = 'TCP', appProtocol }) => ({
    ...(name === '' || name === undefined ? {} : { name }),
    port,
    protocol,
    ...(appProtocol === undefined ? {} : { appProtocol }),
  }));
  return {
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(notReady.length === 0 ? {} : { notReadyAddresses: notReady }),
    ...(ports.length === 0 ? {} : { ports }),
  };
}

function toAddress({ pod, address, hostname }: ServiceEndpoint): EndpointAddress {
  const { name, namespace = '', uid = '' } = pod.metadata;
  const nodeName = pod.spec?.nodeName;
  return {
    ip: address,
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}
