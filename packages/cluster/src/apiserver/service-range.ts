/**
 * The block of addresses of services, and one object for each address that a service has. Services get their addresses without them
 * (`kinds/allocator.ts`); clients read these objects, so the server makes them before the first such request.
 */
import type { ServiceAddresses } from './kinds/allocator.ts';
import { type ApiObject, asString, asStrings, clone, type Json, timestamp, valueAt } from './object.ts';
import { afterCommits } from './registry/after-commits.ts';
import { createObject } from './registry/create.ts';
import { deleteObject } from './registry/delete.ts';
import type { ServerParts } from './registry/environment.ts';
import type { ServedKind } from './registry/registry.ts';
import { SERVER_CONTEXT } from './registry/server-context.ts';
import { updateObject } from './registry/update.ts';
import { toKind } from './request/admit-body.ts';
import { objectOf } from './stored-object.ts';

const API_VERSION = 'networking.k8s.io/v1';
const ADDRESSES = 'ipaddresses.networking.k8s.io';
const RANGES = 'servicecidrs.networking.k8s.io';
const SERVICES = 'services';
/** Name of the block that the cluster has from the start. */
const OWN_RANGE = 'kubernetes';
const MANAGED_BY = 'ipaddress.kubernetes.io/managed-by';
const OWN_LABELS = {
  'ipaddress.kubernetes.io/ip-family': 'IPv4',
  [MANAGED_BY]: 'ipallocator.k8s.io',
};

/** Gives the work to do before requests for objects of these tables. A kept cluster that has such objects follows its services from the start. */
export function serviceRangeOnDemand(
  env: ServerParts,
  block: ServiceAddresses,
): ReadonlyMap<string, () => void> {
  let isFollowed = false;
  const prepare = (): void => {
    if (isFollowed) return;
    isFollowed = true;
    ensureRange(env, block);
    ensureAddresses(env);
    const soon = afterCommits(() => ensureAddresses(env));
    for (const table of [SERVICES, ADDRESSES]) env.store.observe(table, soon);
    env.store.observe(
      RANGES,
      afterCommits(() => ensureRange(env, block)),
    );
  };
  if (env.store.count(RANGES) > 0) prepare();
  return new Map([ADDRESSES, RANGES].map((table) => [table, prepare]));
}

/** Makes the cluster's own block, or writes what it is at present: another program may have that of an earlier start. */
function ensureRange(env: ServerParts, { cidr }: ServiceAddresses): void {
  const kind = env.kinds.find('networking.k8s.io', 'v1', 'servicecidrs');
  if (kind === undefined) return;
  const present = env.store.get(RANGES, '', OWN_RANGE);
  if (present !== undefined) {
    if (asStrings(valueAt(objectOf(present), 'spec', 'cidrs'))[0] === cidr) return;
    // Clients could not change it.
    const range = clone(objectOf(present));
    range.spec = { cidrs: [cidr] };
    env.store.update(RANGES, present, range);
    return;
  }
  const metadata = { name: OWN_RANGE, finalizers: ['networking.k8s.io/service-cidr-finalizer'] };
  create(env, kind, { kind: 'ServiceCIDR', metadata, spec: { cidrs: [cidr] } });
  const ready = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: timestamp(env.clock.now()),
    reason: '',
    message: 'Kubernetes default Service CIDR is ready',
  };
  updateObject(env, {
    kind,
    namespace: '',
    name: OWN_RANGE,
    subresource: 'status',
    produce: (current) => ({
      ...current,
      metadata: { ...current.metadata },
      status: { conditions: [ready] },
    }),
    context: SERVER_CONTEXT,
  });
}

/** Makes the objects of addresses that services have, and removes those of addresses that none has any more. */
function ensureAddresses(env: ServerParts): void {
  const kind = env.kinds.find('networking.k8s.io', 'v1', 'ipaddresses');
  if (kind === undefined) return;
  const taken = new Map<string, ApiObject>();
  for (const version of env.store.values(SERVICES)) {
    const service = objectOf(version);
    const address = asString(valueAt(service, 'spec', 'clusterIP'));
    if (address !== '' && address !== 'None') taken.set(address, service);
  }
  for (const version of [...env.store.values(ADDRESSES)]) {
    const { labels, deletionTimestamp } = objectOf(version).metadata;
    const isOwn = labels?.[MANAGED_BY] === OWN_LABELS[MANAGED_BY] && deletionTimestamp === undefined;
    if (isOwn && !taken.has(version.name)) {
      deleteObject(env, kind.definition, '', version.name, {}, SERVER_CONTEXT);
    }
  }
  for (const [address, { metadata }] of taken) {
    if (env.store.get(ADDRESSES, '', address) !== undefined) continue;
    const parentRef = { resource: 'services', namespace: metadata.namespace, name: metadata.name };
    create(env, kind, {
      kind: 'IPAddress',
      metadata: { name: address, labels: { ...OWN_LABELS } },
      spec: { parentRef },
    });
  }
}

function create(env: ServerParts, kind: ServedKind, object: Json): void {
  const admitted = toKind(kind, { apiVersion: API_VERSION, ...object }, 'Strict', []);
  createObject(env, kind, '', admitted, SERVER_CONTEXT);
}
