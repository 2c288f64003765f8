import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject, Service } from '@turnsole/kube/kinds/core';
import { NAMESPACES, type Resource, SERVICES } from '@turnsole/kube/kinds/resources';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject, parseObject, textOf } from '@turnsole/kube/text/json';
import type { ControlPlaneClient } from '../../../agent-link/client.ts';
import type { InfraIdentity } from '../../../agent-link/settings.ts';
import { toOutcome } from './answer-outcome.ts';
import type { Command } from './dispatcher.ts';
import { refused } from './outcome.ts';

/** What listings need. */
export interface ListingContext {
  readonly client: Pick<KubeClient, 'list'>;
  readonly server: Pick<ControlPlaneClient, 'send'>;
  readonly identity: () => InfraIdentity;
  readonly namespace: string;
  readonly isClusterScoped: boolean;
}

/** Something that a server wants to see listed. */
interface Listing {
  readonly query: string;
  /** Where the answer stands in the request. */
  readonly field: string;
  readonly what: string;
  /** @throws Error that says why nothing can be shown */
  readonly find: (
    externalData: string,
    context: ListingContext,
    signal: AbortSignal,
  ) => Promise<readonly object[]>;
  /** What is sent of what was found; undefined: of nothing, since it could not be listed. */
  readonly sent: (found: readonly object[] | undefined, namespace: string) => object;
}

/** Names and labels of the objects of a kind, and of services whom they select and where they listen. An unreadable list is sent as null, and the outcome says why. */
export const OBJECTS: Listing = {
  query: 'mutation KubeObj($request: KubeObjectData!) { kubeObj(request: $request) }',
  field: 'kubeObj',
  what: 'objects',
  find: async (externalData, context, signal) => {
    const { resource, namespace } = readWanted(externalData, context);
    const { items } = await context.client.list<KubeObject>(resource, {
      namespace,
      limit: 500,
      signal,
      // Keeps only the fields that are sent: there may be many objects.
      eachItem: (item) => ({
        apiVersion: item.apiVersion,
        metadata: keptMetadata(item.metadata),
        ...(isService(resource) && { spec: keptSpec(item as Service) }),
      }),
    });
    return items.map((item) => shown(item, resource));
  },
  sent: (found, namespace) => ({ namespace, data: found ?? null }),
};

/** Names of the namespaces that the agent works in; its own where those of the cluster cannot be listed. */
export const NAMESPACE_NAMES: Listing = {
  query: 'mutation KubeNamespace($request: KubeNamespaceData!) { kubeNamespace(request: $request) }',
  field: 'kubeNamespace',
  what: 'namespaces',
  find: async (_externalData, { client, isClusterScoped, namespace }, signal) => {
    if (!isClusterScoped) return [{ name: namespace }];
    const { items } = await client.list(NAMESPACES, { signal });
    return items.map(({ metadata: { name } }) => ({ name }));
  },
  sent: (found, namespace) => found ?? [{ name: namespace }],
};

/** The command that sends a listing. */
export function listing({ query, field, what, find, sent }: Listing, context: ListingContext): Command {
  return {
    keyOf: ({ requestID }) => `listing ${requestID}`,
    isChange: false,
    run: async ({ requestID, externalData }, signal) => {
      const found = await find(externalData, context, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        return messageOf(error);
      });
      const problem = typeof found === 'string' ? found : undefined;
      const data = JSON.stringify(sent(typeof found === 'string' ? undefined : found, context.namespace));
      const request = { infraID: context.identity(), requestID, [field]: data };
      const answer = await context.server.send({ query, variables: { request } }, signal);
      return problem === undefined ? toOutcome(answer, `${found.length} ${what} sent`) : refused(problem);
    },
  };
}

const GROUP = /^[a-z0-9.-]{0,253}$/;
const VERSION = /^[a-z0-9]{1,63}$/;

/** @throws Error that says what is wrong */
function readWanted(
  text: string,
  { namespace, isClusterScoped }: ListingContext,
): { readonly resource: Resource; readonly namespace: string } {
  const request = parseObject(text);
  const kind = isObject(request?.kubeObjRequest) ? request.kubeObjRequest : undefined;
  if (request === undefined || kind === undefined) throw new Error('externalData holds no kubeObjRequest');
  const { group = '', version, resource } = kind;
  if (typeof group !== 'string' || !GROUP.test(group)) {
    throw new Error('kubeObjRequest.group is no API group');
  }
  if (typeof version !== 'string' || !VERSION.test(version)) {
    throw new Error('kubeObjRequest.version is no version');
  }
  if (typeof resource !== 'string' || !GROUP.test(resource) || resource === '') {
    throw new Error('kubeObjRequest.resource is no plural name of a kind');
  }
  const place = textOf(request.namespace) || namespace;
  if (!isClusterScoped && place !== namespace) {
    throw new Error(
      `namespace ${place} is not that of this infrastructure (${namespace}), whose scope is namespace`,
    );
  }
  return { resource: { group, version, plural: resource, kind: '', namespaced: true }, namespace: place };
}

function keptMetadata({
  name,
  uid,
  namespace,
  labels,
  creationTimestamp,
}: KubeObject['metadata']): KubeObject['metadata'] {
  return { name, uid, namespace, labels, creationTimestamp };
}

function isService({ group, plural }: Resource): boolean {
  return group === SERVICES.group && plural === SERVICES.plural;
}

function keptSpec({ spec: { selector, ports } = {} }: Service): Service['spec'] {
  return { ...(selector !== undefined && { selector }), ...(ports !== undefined && { ports }) };
}

/** As ChaosCenter's server and screens read it; `service` is read by ours. */
function shown(item: KubeObject, resource: Resource): object {
  const { group, version } = resource;
  const { apiVersion, metadata } = item;
  const { name, uid, namespace, creationTimestamp, labels } = metadata;
  return {
    name,
    uid,
    namespace,
    apiVersion: apiVersion ?? (group === '' ? version : `${group}/${version}`),
    creationTimestamp,
    containers: null,
    terminationGracePeriods: null,
    volumes: null,
    labels: asLabels(labels),
    ...(isService(resource) && { service: shownService(item as Service) }),
  };
}

/** Whom a service selects, and its ports for TCP. */
function shownService({ spec: { selector, ports = [] } = {} }: Service): object {
  return {
    selector: asLabels(selector),
    ports: ports
      .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
      .map(({ name = '', port }) => ({ name, port })),
  };
}

function asLabels(labels: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .toSorted();
}
