import type { KindResolver } from '@turnsole/kube/apply/kind-resolver';
import { isAlreadyExists } from '@turnsole/kube/client/errors';
import type { KubeClient, NewObject } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
import { retryOnConflict } from '@turnsole/kube/runtime/retry-on-conflict';
import { messageOf } from '@turnsole/kube/text/error-message';
import { isObject, parseObject } from '@turnsole/kube/text/json';
import { updatedByMark } from '../labels.ts';
import type { Action } from './action.ts';
import { type AllowedChanges, type ManifestVerb, refusalOf } from './allowed.ts';
import { done, type Outcome, refused } from './outcome.ts';

/** What changes by manifests need. */
export interface ManifestContext {
  readonly client: KubeClient;
  readonly kinds: Pick<KindResolver, 'resolve' | 'forget'>;
  readonly allowed: AllowedChanges;
  /** A label that objects of manifests do not get. @default they get all of theirs */
  readonly leftOutLabel?: string | undefined;
}

/** The limit of an API server's store: it refuses larger objects in any case, and they take long to read. */
const MAX_MANIFEST_BYTES = 1.5 * 1024 * 1024;

const NO_MANIFEST = 'the manifest must have apiVersion, kind and metadata';

/** An object of a manifest; with labels and no name it means a collection. */
interface Manifest extends Omit<KubeObject, 'metadata'> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Partial<KubeObject['metadata']>;
}

/** Does what a server asks for by a manifest, where that is allowed. */
export async function changeByManifest(
  verb: ManifestVerb,
  action: Action,
  context: ManifestContext,
  signal: AbortSignal,
): Promise<Outcome> {
  const read = await readManifest(action.manifest);
  if (typeof read === 'string') return refused(read);
  const manifest = withoutLabel(read, context.leftOutLabel);
  const namespace = action.namespace || context.allowed.ownNamespace;
  const { apiVersion, kind, metadata } = manifest;
  const change = { verb, apiVersion, kind, name: metadata.name, labels: metadata.labels };
  // Before any request to the cluster; whether a kind has namespaces is not known yet.
  const early = refusalOf({ ...change, namespace }, context.allowed);
  if (early !== undefined) return refused(early);
  const resource = await resolve(context, manifest);
  if (typeof resource === 'string') return refused(resource);
  const why = resource.namespaced ? undefined : refusalOf({ ...change, namespace: '' }, context.allowed);
  if (why !== undefined) return refused(why);
  const place = resource.namespaced ? { namespace, signal } : { signal };
  return VERBS[verb](context.client, resource, manifest, { ...place, username: action.username });
}

function withoutLabel(manifest: Manifest, label: string | undefined): Manifest {
  const { labels } = manifest.metadata;
  if (label === undefined || labels?.[label] === undefined) return manifest;
  const { [label]: _left, ...others } = labels;
  return { ...manifest, metadata: { ...manifest.metadata, labels: others } };
}

async function resolve(
  { kinds }: ManifestContext,
  { apiVersion, kind }: Manifest,
): Promise<Resource | string> {
  const found = await kinds.resolve(apiVersion, kind);
  // A definition may have come since it was asked for the first time.
  if (typeof found === 'string') kinds.forget();
  return found;
}

/**
 * The object in a text, or what is wrong with it. Reads YAML, which includes JSON: the server's own requests for the
 * removal of an infrastructure are JSON with unquoted values and a comma at the end.
 */
async function readManifest(text: string): Promise<Manifest | string> {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_MANIFEST_BYTES)
    return `the manifest has ${bytes} bytes; at most ${MAX_MANIFEST_BYTES} are taken`;
  // Read many times as fast, and what servers send mostly.
  const json = parseObject(text);
  if (json !== undefined) return isManifest(json) ? json : NO_MANIFEST;
  const { parseAllDocuments } = await import('yaml');
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents) || documents.length !== 1) {
    return `the manifest must be one object, found ${Array.isArray(documents) ? documents.length : 0}`;
  }
  const [document] = documents;
  const [problem] = document?.errors ?? [];
  if (problem !== undefined) return `the manifest is no YAML: ${firstLine(problem.message)}`;
  try {
    const object: unknown = document?.toJS();
    return isManifest(object) ? object : NO_MANIFEST;
  } catch (error) {
    // References that would make it explode.
    return `the manifest cannot be read: ${firstLine(messageOf(error))}`;
  }
}

/** Without the lines of the manifest that stand below: they may hold a password. */
function firstLine(message: string): string {
  return message.split('\n', 1).join('');
}

function isManifest(value: unknown): value is Manifest {
  if (!isObject(value) || !isObject(value.metadata)) return false;
  const { name } = value.metadata;
  if (name !== undefined && typeof name !== 'string') return false;
  return typeof value.apiVersion === 'string' && typeof value.kind === 'string' && value.kind !== '';
}

interface Place {
  readonly namespace?: string;
  readonly signal: AbortSignal;
  readonly username: string;
}

type Verb = (client: KubeClient, resource: Resource, manifest: Manifest, place: Place) => Promise<Outcome>;

const VERBS: Readonly<Record<ManifestVerb, Verb>> = {
  create: async (client, resource, manifest, { username, ...place }) => {
    const { name, generateName } = manifest.metadata;
    if (name === undefined && generateName === undefined) return refused('the manifest has no name');
    try {
      // One of both names is there.
      const object = marked(manifest, username) as NewObject<KubeObject>;
      const { metadata } = await client.create(resource, object, place);
      return done(`${resource.kind} ${metadata.name} created`);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return done(`${resource.kind} ${name} was there already`);
    }
  },
  update: async (client, resource, manifest, { username, ...place }) => {
    const { name } = manifest.metadata;
    if (name === undefined) return refused('the manifest has no name');
    const wanted = marked(manifest, username);
    // Its controller writes its status at any time.
    return retryOnConflict(async () => {
      const present = await client.find<KubeObject>(resource, name, place);
      if (present === undefined) return refused(`there is no ${resource.kind} ${name}`);
      const { resourceVersion } = present.metadata;
      // The name is there.
      const object = { ...wanted, metadata: { ...wanted.metadata, resourceVersion } } as KubeObject;
      await client.update(resource, object, place);
      return done(`${resource.kind} ${name} updated`);
    }, place);
  },
  delete: async (client, resource, { metadata }, { username, ...place }) => {
    const { name, labels = {} } = metadata;
    if (name !== undefined) {
      const present = await client.find(resource, name, place);
      if (present !== undefined) await client.delete(resource, name, place);
      return done(`${resource.kind} ${name} deleted`);
    }
    const labelSelector = Object.entries(labels)
      .filter(([key]) => key !== 'updated_by')
      .map(([key, value]) => `${key}=${value}`)
      .join(',');
    if (labelSelector === '') return refused('a manifest to be deleted must have a name or labels');
    await client.deleteCollection(resource, { ...place, labelSelector });
    return done(`${resource.plural} with ${labelSelector} deleted`);
  },
  get: async (client, resource, { metadata }, { username, ...place }) => {
    if (metadata.name === undefined) return refused('the manifest has no name');
    const present = await client.find(resource, metadata.name, place);
    return present === undefined
      ? refused(`there is no ${resource.kind} ${metadata.name}`)
      : done(`${resource.kind} ${metadata.name} is there`);
  },
};

/** The object with the mark of its user; its namespace is that of the request. */
function marked(manifest: Manifest, username: string): Manifest {
  const { namespace, labels, annotations, ...metadata } = manifest.metadata;
  if (username === '') return { ...manifest, metadata: { ...metadata, labels, annotations } };
  const mark = updatedByMark(username);
  return {
    ...manifest,
    metadata: {
      ...metadata,
      labels: { ...labels, ...mark.labels },
      annotations: { ...annotations, ...mark.annotations },
    },
  };
}
