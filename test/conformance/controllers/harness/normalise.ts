import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Names } from './names.ts';

/** What differs between clusters, and in each run. */
export interface NormaliseContext {
  readonly names: Names;
  /** Names of the cluster's own nodes. */
  readonly nodes: ReadonlySet<string>;
}

/** Server's own business, or written by who makes the request. */
const DROPPED = /\/metadata\/(?:uid|resourceVersion|managedFields|selfLink|creationTimestamp|namespace)$/;
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** An object as scenarios show it: kind first, keys sorted, made-up values as tokens, nothing that is empty. */
export function normaliseObject(kind: string, object: KubeObject, context: NormaliseContext): unknown {
  const { apiVersion: _version, kind: _kind, ...rest } = object;
  return { kind, ...asRecord(rewrite(kind, rest, context)) };
}

/** Sorted by what they are, so that pods with made-up names can be compared. */
export function sortShown(shown: readonly unknown[]): unknown[] {
  return shown
    .map((value) => [JSON.stringify(value), value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value);
}

function rewrite(path: string, value: unknown, context: NormaliseContext): unknown {
  if (typeof value === 'string') return rewriteText(path, value, context);
  if (Array.isArray(value)) {
    return sortIfUnordered(
      path,
      value.map((item) => rewrite(path, item, context)),
    );
  }
  if (typeof value !== 'object' || value === null) return value;
  const record = asRecord(value);
  return Object.fromEntries(
    Object.entries(record)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .filter(([key, child]) => !isDropped(`${path}/${key}`, key, child, record))
      .map(
        ([key, child]) =>
          [context.names.replace(key), rewriteField(`${path}/${key}`, key, child, context)] as const,
      )
      .filter(([, child]) => !isEmpty(child)),
  );
}

function isDropped(
  path: string,
  key: string,
  value: unknown,
  parent: Readonly<Record<string, unknown>>,
): boolean {
  // How often a slice was written depends on how quickly pods come.
  const isCount = path === 'EndpointSlice/metadata/generation';
  // Of a container that has ended, kubelet removes the run before sooner or later, and then forgets it.
  const isForgotten = key === 'lastState' && asRecord(asRecord(parent.state ?? {})).terminated !== undefined;
  // Whether the last of several changes within a second carries a time does so too: such times have whole seconds.
  const isLastChange = key === 'endpoints.kubernetes.io/last-change-trigger-time';
  // Of the resize of whole pods, which the embedded cluster does not have; the kubelet reads them from the machine's cgroups.
  const isOfWholePod = path === 'Pod/status/resources' || path === 'Pod/status/allocatedResources';
  // The recorded node is in no zone.
  const isZone = path === 'EndpointSlice/endpoints/zone';
  // Container runtimes tell the user of the first process since containerd 2.0; the embedded cluster does not.
  const isOfUser = /^Pod\/status\/(?:initC|ephemeralC|c)ontainerStatuses\/user$/.test(path);
  if (isCount || isOfWholePod || isZone || isOfUser) return true;
  return isLastChange || isForgotten || DROPPED.test(path) || key === LAST_APPLIED || value === null;
}

/** Emptiness says nothing: servers differ in whether they write it. An `emptyDir: {}` in a volume stays visible by its name. */
function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Conditions and addresses have no order that anybody relies on. */
function sortIfUnordered(path: string, items: unknown[]): unknown[] {
  return /\/(?:conditions|addresses|notReadyAddresses|endpoints|subsets|ports|ownerReferences)$/.test(path)
    ? sortShown(items)
    : items;
}

function rewriteField(path: string, key: string, value: unknown, context: NormaliseContext): unknown {
  switch (key) {
    case 'uid':
    case 'controller-uid':
      return '<uid>';
    case 'containerID':
    case 'imageID':
      return value === '' ? value : '<id>';
    case 'clusterIP':
      return typeof value === 'string' && /^\d/.test(value) ? '<ip>' : value;
    case 'resourceVersion': // of object references
      return undefined;
    default:
      return rewrite(path, value, context);
  }
}

const ADDRESS = /(?<![\d.])(?!0\.0\.0\.0)(?:10|127|172|192)\.\d+\.\d+\.\d+(?![\d.])/g;
const TIME = /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** Names that were made up for objects that were not made then. */
const REFUSED = /("[a-z-]+-)[a-z0-9]{5}" is forbidden/g;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

function rewriteText(path: string, text: string, { names, nodes }: NormaliseContext): string {
  if (nodes.has(text)) return '<node>';
  if (path.startsWith('ReplicaSet/metadata/annotations') && /^\d+(?:,\d+)+$/.test(text)) return text;
  const plain = names
    .replace(text)
    .replace(UUID, '<uid>')
    .replace(TIME, '<time>')
    .replace(ADDRESS, '<ip>')
    .replace(REFUSED, '$1<generated>" is forbidden');
  return [...nodes].reduce((replaced, node) => replaced.replaceAll(node, '<node>'), plain);
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  // Callers have looked, or want nothing but a property that may be missing.
  return value as Readonly<Record<string, unknown>>;
}
