import type { Endpoints, Pod, Service } from '@turnsole/kube/kinds/core';
import { equivalentJson } from '@turnsole/kube/text/json';
import { canonicalJson } from '../shared/hash.ts';
import type { EndpointAddress, EndpointPort, EndpointSubset } from '../shared/types.ts';
import { familiesOf, isHeadless, type ServiceEndpoint, serviceEndpoints } from './service-pods.ts';
import { withLastChange } from './trigger-time.ts';
import { OVER_CAPACITY, truncate } from './truncate.ts';

const HEADLESS = 'service.kubernetes.io/headless';
const TRUNCATED = 'truncated';
const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';

/**
 * The Endpoints object a service should have; `undefined` when the present one is as it should be. `changedAt` is the
 * time of the change that led to it, if it is known.
 */
export function decideEndpoints(
  service: Service,
  pods: readonly Pod[],
  present: Endpoints | undefined,
  changedAt?: string,
): Endpoints | undefined {
  const { name, namespace } = service.metadata;
  const all = toSubsets(service, pods);
  const subsets = truncate(all);
  const isTruncated = subsets !== all;
  const labels = {
    ...service.metadata.labels,
    [MANAGED_BY]: 'endpoint-controller',
    ...(isHeadless(service) ? { [HEADLESS]: '' } : {}),
  };
  if (
    present !== undefined &&
    equivalentJson(present.subsets, subsets) &&
    equivalentJson(present.metadata.labels, labels) &&
    (present.metadata.annotations?.[OVER_CAPACITY] === TRUNCATED) === isTruncated
  ) {
    return undefined;
  }
  const { annotations, ...metadata } = present?.metadata ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      ...metadata,
      ...withLastChange(noteTruncation(annotations, isTruncated), changedAt),
      name,
      namespace,
      labels,
    },
    ...(subsets.length === 0 ? {} : { subsets }),
  };
}

/** Says that addresses were left out, or that they no longer are. */
function noteTruncation(
  annotations: Readonly<Record<string, string>> | undefined,
  isTruncated: boolean,
): Record<string, string> | undefined {
  if (isTruncated) return { ...annotations, [OVER_CAPACITY]: TRUNCATED };
  const { [OVER_CAPACITY]: old, ...others } = annotations ?? {};
  return old === undefined ? annotations : others;
}

/**
 * Ports that the same addresses serve share a subset: a pod without a port of one name still serves the others. Pods
 * that are terminating are left out, unless the service wants all.
 */
function toSubsets(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const [family = 'IPv4'] = familiesOf(service);
  const everybody = service.spec?.publishNotReadyAddresses === true;
  const endpoints = serviceEndpoints(service, pods, family).filter(
    ({ terminating }) => everybody || !terminating,
  );
  if ((service.spec?.ports ?? []).length === 0) {
    return endpoints.length === 0 ? [] : [toSubset(endpoints, [])];
  }
  const byPort = Map.groupBy(
    endpoints.flatMap((endpoint) => endpoint.ports.map((port) => ({ endpoint, port }))),
    ({ port }) => canonicalJson(port),
  );
  const served = [...byPort]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([, members]) => {
      const [first] = members;
      return first === undefined
        ? []
        : [{ port: first.port, members: members.map(({ endpoint }) => endpoint) }];
    });
  const bySet = Map.groupBy(served, ({ members }) => members.map(({ pod }) => pod.metadata.uid).join());
  return [...bySet.values()].map((group) =>
    toSubset(
      group[0]?.members ?? [],
      group.map(({ port }) => port),
    ),
  );
}

function toSubset(members: readonly ServiceEndpoint[], served: readonly EndpointPort[]): EndpointSubset {
  const addresses = members.filter(({ ready }) => ready).map(toAddress);
  const notReady = members.filter(({ ready }) => !ready).map(toAddress);
  const ports = served.map(({ name, port = 0, protocol = 'TCP', appProtocol }) => ({
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
