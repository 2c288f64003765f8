import type { NewObject } from '@turnsole/kube/client/types';
import type { Endpoints } from '@turnsole/kube/kinds/core';
import { ENDPOINTS } from '@turnsole/kube/kinds/resources';
import { ownerReference } from '@turnsole/kube/runtime/index';
import { equivalentJson } from '@turnsole/kube/text/json';
import { canonicalJson } from '../shared/hash.ts';
import type {
  Endpoint,
  EndpointAddress,
  EndpointPort,
  EndpointSlice,
  EndpointSubset,
} from '../shared/types.ts';
import { MANAGED_BY, SERVICE_NAME, type SlicePlan } from './decide-slices.ts';
import { LAST_CHANGE } from './trigger-time.ts';

/** Value of the label that says who keeps a slice, on slices that repeat Endpoints made by hand. */
export const MIRROR_MANAGER = 'endpointslicemirroring-controller.k8s.io';
/** Label of Endpoints that are not to be repeated. */
const SKIP = 'endpointslice.kubernetes.io/skip-mirror';
/** Annotation of Endpoints that were a lock for leader election. */
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const NOT_COPIED = new Set(['kubectl.kubernetes.io/last-applied-configuration', LAST_CHANGE]);
/** Most addresses of a subset that are repeated (Kubernetes' default). */
const MAX_PER_SUBSET = 1000;

/** Whether the Endpoints are to be repeated as slices, as far as they say it themselves. */
export function isMirrored({ metadata }: Endpoints): boolean {
  return (
    metadata.deletionTimestamp === undefined &&
    metadata.labels?.[SKIP] !== 'true' &&
    metadata.annotations?.[LEADER] === undefined
  );
}

/**
 * The changes of the slices that repeat Endpoints made by hand: one slice for each set of ports and address family
 * (kubernetes.io, EndpointSlice mirroring).
 */
export function decideMirror(endpoints: Endpoints, present: readonly EndpointSlice[]): SlicePlan {
  const unused = new Set(present);
  const create: NewObject<EndpointSlice>[] = [];
  const update: EndpointSlice[] = [];
  for (const wanted of slicesFor(endpoints)) {
    const key = keyOf(wanted);
    const slice =
      [...unused].find((candidate) => keyOf(candidate) === key) ??
      [...unused].find(({ addressType }) => addressType === wanted.addressType);
    if (slice === undefined) {
      create.push(wanted);
      continue;
    }
    unused.delete(slice);
    if (!isSame(slice, wanted)) {
      update.push({
        ...slice,
        ...wanted,
        metadata: { ...slice.metadata, ...wanted.metadata, name: slice.metadata.name },
      });
    }
  }
  return { create, update, delete: [...unused] };
}

function slicesFor(endpoints: Endpoints): NewObject<EndpointSlice>[] {
  return (endpoints.subsets ?? []).flatMap((subset) =>
    (['IPv4', 'IPv6'] as const).flatMap((family) => {
      const members = membersOf(subset, family);
      return members.length === 0 ? [] : [sliceOf(endpoints, family, subset, members)];
    }),
  );
}

function membersOf(
  { addresses = [], notReadyAddresses = [] }: EndpointSubset,
  family: 'IPv4' | 'IPv6',
): Endpoint[] {
  const isOurs = ({ ip }: EndpointAddress): boolean => ip.includes(':') === (family === 'IPv6');
  return [
    ...addresses.filter(isOurs).map((address) => toEndpoint(address, true)),
    ...notReadyAddresses.filter(isOurs).map((address) => toEndpoint(address, false)),
  ].slice(0, MAX_PER_SUBSET);
}

function toEndpoint({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(targetRef === undefined ? {} : { targetRef }),
  };
}

function sliceOf(
  endpoints: Endpoints,
  addressType: 'IPv4' | 'IPv6',
  { ports = [] }: EndpointSubset,
  members: Endpoint[],
): NewObject<EndpointSlice> {
  const { name, namespace, labels, annotations = {} } = endpoints.metadata;
  const copied = Object.entries(annotations).filter(([key]) => !NOT_COPIED.has(key));
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: MIRROR_MANAGER },
      ...(copied.length === 0 ? {} : { annotations: Object.fromEntries(copied) }),
      ownerReferences: [ownerReference(ENDPOINTS, endpoints)],
    },
    addressType,
    endpoints: members,
    ports: ports.map(
      ({ name: port = '', protocol = 'TCP', ...rest }): EndpointPort => ({ name: port, protocol, ...rest }),
    ),
  };
}

function keyOf({ addressType, ports = [] }: Pick<EndpointSlice, 'addressType' | 'ports'>): string {
  return `${addressType} ${canonicalJson(ports)}`;
}

function isSame(slice: EndpointSlice, wanted: NewObject<EndpointSlice>): boolean {
  return (
    equivalentJson(slice.endpoints, wanted.endpoints) &&
    equivalentJson(slice.ports, wanted.ports) &&
    equivalentJson(slice.metadata.labels, wanted.metadata.labels) &&
    equivalentJson(slice.metadata.annotations ?? {}, wanted.metadata.annotations ?? {})
  );
}
