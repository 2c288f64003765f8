import type { NewObject } from '@turnsole/kube/client/types';
import type { Node, Pod, Service } from '@turnsole/kube/kinds/core';
import { SERVICES } from '@turnsole/kube/kinds/resources';
import { ownerReference } from '@turnsole/kube/runtime/index';
import { equivalentJson } from '@turnsole/kube/text/json';
import { canonicalJson } from '../shared/hash.ts';
import type { Endpoint, EndpointPort, EndpointSlice } from '../shared/types.ts';
import { familiesOf, isHeadless, type ServiceEndpoint, serviceEndpoints, zoneOf } from './service-pods.ts';
import { withLastChange } from './trigger-time.ts';

/** Label of a slice with the name of its service. */
export const SERVICE_NAME = 'kubernetes.io/service-name';
/** Label of a slice with who keeps it. */
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
/** Value of {@link MANAGED_BY} on the slices this controller keeps. */
export const SLICE_MANAGER = 'endpointslice-controller.k8s.io';
const HEADLESS = 'service.kubernetes.io/headless';
/** Most endpoints of a slice (Kubernetes' default). */
const MAX_PER_SLICE = 100;

/** The writes that make the slices right. */
export interface SlicePlan {
  readonly create: readonly NewObject<EndpointSlice>[];
  readonly update: readonly EndpointSlice[];
  readonly delete: readonly EndpointSlice[];
}

/** Endpoints that go into the same slices: one address family and one set of ports. */
interface Group {
  readonly family: 'IPv4' | 'IPv6';
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/**
 * The changes of a service's slices. An endpoint stays in its slice, new ones fill slices with room;
 * so a change touches few slices and their watchers. `changedAt` is the time of the change that led to it, if it is known.
 */
export function decideSlices(
  service: Service,
  pods: readonly Pod[],
  present: readonly EndpointSlice[],
  nodeOf: (name: string) => Node | undefined,
  changedAt?: string,
): SlicePlan {
  const wanted: SliceContent[] = [];
  const update: EndpointSlice[] = [];
  const unused = new Set(present);
  for (const group of groupsOf(service, pods, nodeOf)) {
    const key = keyOf(group.family, group.ports);
    const slices = present.filter((slice) => keyOf(slice.addressType, slice.ports ?? []) === key);
    const { kept, rest } = distribute(group.endpoints, slices);
    for (const [slice, endpoints] of kept) {
      unused.delete(slice);
      const content = sliceOf(service, group, endpoints);
      if (!isSame(slice, content)) update.push(withContent(slice, content, changedAt));
    }
    for (let at = 0; at < rest.length; at += MAX_PER_SLICE) {
      wanted.push(sliceOf(service, group, rest.slice(at, at + MAX_PER_SLICE)));
    }
    // A service without endpoints has one empty slice per family, so that watchers know it is looked after.
    if (group.endpoints.length === 0 && slices.length === 0) {
      wanted.push(sliceOf(service, group, []));
    }
  }
  // A slice that would go takes over what would be new, so that watchers never see both or neither.
  const create: NewObject<EndpointSlice>[] = [];
  for (const content of wanted) {
    const free = [...unused].find(({ addressType }) => addressType === content.addressType);
    if (free === undefined) {
      create.push(newSlice(service, content, changedAt));
    } else {
      unused.delete(free);
      update.push(withContent(free, content, changedAt));
    }
  }
  return { create, update, delete: [...unused] };
}

function withContent(
  slice: EndpointSlice,
  content: SliceContent,
  changedAt: string | undefined,
): EndpointSlice {
  const { annotations, ...metadata } = slice.metadata;
  return {
    ...slice,
    ...content,
    metadata: { ...metadata, ...withLastChange(annotations, changedAt), ...content.metadata },
  };
}

function groupsOf(
  service: Service,
  pods: readonly Pod[],
  nodeOf: (name: string) => Node | undefined,
): Group[] {
  return familiesOf(service).flatMap((family): Group[] => {
    const endpoints = serviceEndpoints(service, pods, family);
    if (endpoints.length === 0) return [{ family, ports: [], endpoints: [] }];
    const groups = Map.groupBy(endpoints, ({ ports }) => canonicalJson(ports));
    return [...groups.values()].map((members) => ({
      family,
      ports: members[0]?.ports ?? [],
      endpoints: members.map((member) => toEndpoint(member, nodeOf)),
    }));
  });
}

function toEndpoint(endpoint: ServiceEndpoint, nodeOf: (name: string) => Node | undefined): Endpoint {
  const { pod, address, ready, serving, terminating, hostname } = endpoint;
  const { name, namespace = '', uid = '' } = pod.metadata;
  const nodeName = pod.spec?.nodeName;
  const zone = nodeName === undefined ? undefined : zoneOf(nodeOf(nodeName));
  return {
    addresses: [address],
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(zone === undefined ? {} : { zone }),
  };
}

function keyOf(family: string, ports: readonly EndpointPort[]): string {
  return `${family} ${canonicalJson(ports)}`;
}

/** Endpoints by the slice they stay in or move into, and those no present slice has room for. */
function distribute(
  endpoints: readonly Endpoint[],
  slices: readonly EndpointSlice[],
): { readonly kept: readonly (readonly [EndpointSlice, Endpoint[]])[]; readonly rest: Endpoint[] } {
  const places = new Map<string, EndpointSlice>();
  for (const slice of slices) {
    for (const { targetRef } of slice.endpoints) places.set(targetRef?.uid ?? '', slice);
  }
  const kept = new Map<EndpointSlice, Endpoint[]>(slices.map((slice) => [slice, []]));
  let rest: Endpoint[] = [];
  for (const endpoint of endpoints) {
    const slice = places.get(endpoint.targetRef?.uid ?? '');
    const members = slice === undefined ? undefined : kept.get(slice);
    if (members === undefined) rest.push(endpoint);
    else members.push(endpoint);
  }
  for (const members of kept.values()) {
    const room = Math.max(0, MAX_PER_SLICE - members.length);
    members.push(...rest.slice(0, room));
    rest = rest.slice(room);
  }
  // Empty slices are deleted, but the last one stays when nothing is left at all.
  const used = [...kept].filter(([, members]) => members.length > 0);
  return { kept: used.length > 0 || endpoints.length > 0 ? used : [...kept].slice(0, 1), rest };
}

type SliceContent = Omit<EndpointSlice, 'metadata'> & {
  readonly metadata: Pick<EndpointSlice['metadata'], 'labels' | 'ownerReferences'>;
};

function sliceOf(service: Service, group: Group, endpoints: readonly Endpoint[]): SliceContent {
  return {
    addressType: group.family,
    endpoints: [...endpoints],
    ports: [...group.ports],
    metadata: {
      labels: {
        ...service.metadata.labels,
        [SERVICE_NAME]: service.metadata.name,
        [MANAGED_BY]: SLICE_MANAGER,
        ...(isHeadless(service) ? { [HEADLESS]: '' } : {}),
      },
      ownerReferences: [ownerReference(SERVICES, service)],
    },
  };
}

function isSame(slice: EndpointSlice, wanted: SliceContent): boolean {
  return (
    equivalentJson(slice.endpoints, wanted.endpoints) &&
    equivalentJson(slice.metadata.labels, wanted.metadata.labels)
  );
}

function newSlice(
  service: Service,
  content: SliceContent,
  changedAt: string | undefined,
): NewObject<EndpointSlice> {
  const { name, namespace } = service.metadata;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    ...content,
    metadata: {
      ...content.metadata,
      ...withLastChange(undefined, changedAt),
      generateName: `${name}-`,
      namespace,
    },
  };
}
