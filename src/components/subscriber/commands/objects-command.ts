import type { KubeObject } from '../../../api/core.ts';
import { NAMESPACES, type Resource } from '../../../api/resources.ts';
import type { ControlPlaneClient } from '../../../controlplane/client/client.ts';
import type { InfraIdentity } from '../../../controlplane/client/settings.ts';
import type { KubeClient } from '../../../kube/client/types.ts';
import { messageOf } from '../../../text/error-message.ts';
import { isObject, parseObject } from '../../../text/json.ts';
import type { Action } from './action.ts';
import { toOutcome } from './answer-outcome.ts';
import { type Outcome, refused } from './outcome.ts';

/** What listings need. */
export interface ListingContext {
  readonly client: Pick<KubeClient, 'list'>;
  readonly server: Pick<ControlPlaneClient, 'send'>;
  readonly identity: () => InfraIdentity;
  readonly namespace: string;
  readonly isClusterScoped: boolean;
}

const OBJECTS = `mutation KubeObj($request: KubeObjectData!) { kubeObj(request: $request) }`;
const NAMES = `mutation KubeNamespace($request: KubeNamespaceData!) { kubeNamespace(request: $request) }`;

/** Sends the names and labels of objects of a kind. An unreadable list is sent as null, and the outcome says why. */
export async function listObjects(
  action: Action,
  context: ListingContext,
  signal: AbortSignal,
): Promise<Outcome> {
  const data = await objectsFor(action.externalData, context, signal);
  const problem = typeof data === 'string' ? data : undefined;
  const kubeObj = JSON.stringify({ namespace: context.namespace, data: problem === undefined ? data : null });
  const request = { infraID: context.identity(), requestID: action.requestID, kubeObj };
  const answer = await context.server.send({ query: OBJECTS, variables: { request } }, signal);
  return problem === undefined ? toOutcome(answer, `${data.length} objects sent`) : refused(problem);
}

/** The objects, or why none can be shown. */
async function objectsFor(
  externalData: string,
  context: ListingContext,
  signal: AbortSignal,
): Promise<readonly object[] | string> {
  const wanted = readWanted(externalData, context);
  if (typeof wanted === 'string') return wanted;
  try {
    const { items } = await context.client.list<KubeObject>(wanted.resource, {
      namespace: wanted.namespace,
      limit: 500,
      signal,
      // Keeps only the fields that are sent: there may be many objects.
      eachItem: ({ apiVersion, metadata }) => ({ apiVersion, metadata: keptMetadata(metadata) }),
    });
    return items.map((item) => shown(item, wanted.resource));
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}

/** Sends the names of the namespaces that the agent works in; its own where those of the cluster cannot be listed. */
export async function listNamespaces(
  action: Action,
  context: ListingContext,
  signal: AbortSignal,
): Promise<Outcome> {
  const names = await namespaceNames(context, signal);
  const problem = typeof names === 'string' ? names : undefined;
  const shownNames = typeof names === 'string' ? [context.namespace] : names;
  const kubeNamespace = JSON.stringify(shownNames.map((name) => ({ name })));
  const request = { infraID: context.identity(), requestID: action.requestID, kubeNamespace };
  const answer = await context.server.send({ query: NAMES, variables: { request } }, signal);
  return problem === undefined ? toOutcome(answer, `${names.length} namespaces sent`) : refused(problem);
}

async function namespaceNames(
  { client, isClusterScoped, namespace }: ListingContext,
  signal: AbortSignal,
): Promise<readonly string[] | string> {
  if (!isClusterScoped) return [namespace];
  try {
    const { items } = await client.list(NAMESPACES, { signal });
    return items.map(({ metadata }) => metadata.name);
  } catch (error) {
    signal.throwIfAborted();
    return messageOf(error);
  }
}

const GROUP = /^[a-z0-9.-]{0,253}$/;
const VERSION = /^[a-z0-9]{1,63}$/;

function readWanted(
  text: string,
  { namespace, isClusterScoped }: ListingContext,
): { readonly resource: Resource; readonly namespace: string } | string {
  const request = parseObject(text);
  const kind = isObject(request?.kubeObjRequest) ? request.kubeObjRequest : undefined;
  if (request === undefined || kind === undefined) return 'externalData holds no kubeObjRequest';
  const { group = '', version, resource } = kind;
  if (typeof group !== 'string' || !GROUP.test(group)) return 'kubeObjRequest.group is no API group';
  if (typeof version !== 'string' || !VERSION.test(version)) return 'kubeObjRequest.version is no version';
  if (typeof resource !== 'string' || !GROUP.test(resource) || resource === '') {
    return 'kubeObjRequest.resource is no plural name of a kind';
  }
  const place =
    typeof request.namespace === 'string' && request.namespace !== '' ? request.namespace : namespace;
  if (!isClusterScoped && place !== namespace) {
    return `namespace ${place} is not that of this infrastructure (${namespace}), whose scope is namespace`;
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

/** As ChaosCenter's server and screens read it. */
function shown({ apiVersion, metadata }: KubeObject, { group, version }: Resource): object {
  const { name, uid, namespace, creationTimestamp, labels = {} } = metadata;
  return {
    name,
    uid,
    namespace,
    apiVersion: apiVersion ?? (group === '' ? version : `${group}/${version}`),
    creationTimestamp,
    containers: null,
    terminationGracePeriods: null,
    volumes: null,
    labels: Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .toSorted(),
  };
}
