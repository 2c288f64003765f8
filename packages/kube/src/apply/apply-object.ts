import { ApiError } from '../client/errors.ts';
import type { KubeClient, WriteOptions } from '../client/types.ts';
import type { KubeObject } from '../kinds/core.ts';
import type { Resource } from '../kinds/resources.ts';
import { equalJson } from '../text/json.ts';

/** How an object is applied. */
interface ApplyOptions extends Pick<WriteOptions, 'namespace' | 'signal' | 'onWarning'> {
  /** Owner of the fields that are applied. */
  readonly fieldManager: string;
  /** Gives what to apply over an object that is there. @default the object that is applied, whatever is there */
  readonly over?: (before: KubeObject) => KubeObject;
}

/** An object as it was before it was applied, undefined when it was not there, and as it is stored now. */
interface Applied {
  readonly before: KubeObject | undefined;
  readonly after: KubeObject;
  /** Whether this call made it; false also where another client made it after it was looked for. */
  readonly created: boolean;
}

/**
 * Stores an object by server-side apply. Idempotent: an existing object is brought to the same state, fields that others have
 * added stay, and fields that an earlier apply of this owner has set and this one does not name are removed.
 *
 * Takes over fields that another manager owns: an operator that has stopped an engine owns `engineState`, and the manifest starts it
 * again.
 *
 * @throws ApiError when the server refuses the object · ConnectionError
 */
export async function applyObject(
  client: KubeClient,
  resource: Resource,
  object: KubeObject,
  options: ApplyOptions,
): Promise<Applied> {
  const { namespace, signal, over } = options;
  const { name } = object.metadata;
  const before = await client.find<KubeObject>(resource, name, { namespace, signal });
  const wanted = before === undefined || over === undefined ? object : over(before);
  // A manifest taken from a cluster carries both, and server-side apply refuses the one and takes the other for a precondition.
  const { managedFields, uid, ...metadata } = wanted.metadata;
  const applied = { ...wanted, metadata };
  try {
    const after = await client.patch<KubeObject>(resource, name, 'apply', applied, {
      ...options,
      force: true,
    });
    return { before, after, created: before === undefined && isOwnedOnlyBy(after, options.fieldManager) };
  } catch (error) {
    if (!hasNoRoomFor(error)) throw error;
    return write(client, resource, before, applied, options);
  }
}

/**
 * Server-side apply has no room for a list with two entries of one key, such as two environment variables of one name; and up to
 * Kubernetes 1.20 for a port that leaves its protocol to the default, which is a part of its key. Every other write takes them, and
 * so do people's manifests.
 */
function hasNoRoomFor(error: unknown): boolean {
  return error instanceof ApiError && /duplicate entries for key|omits key field/.test(error.message);
}

async function write(
  client: KubeClient,
  resource: Resource,
  before: KubeObject | undefined,
  object: KubeObject,
  options: ApplyOptions,
): Promise<Applied> {
  if (before === undefined)
    return { before, after: await client.create(resource, object, options), created: true };
  const after = await client.patch<KubeObject>(resource, object.metadata.name, 'merge', object, options);
  return { before, after, created: false };
}

/** An object that another client made in between has fields of another manager. */
function isOwnedOnlyBy({ metadata }: KubeObject, fieldManager: string): boolean {
  return (metadata.managedFields ?? []).every(({ manager }) => manager === fieldManager);
}

/** What applying an object did. Pure. */
export function outcomeOf({ before, after, created }: Applied): 'created' | 'changed' | 'unchanged' {
  if (created) return 'created';
  if (before === undefined) return 'changed';
  return equalJson(ownPart(before), ownPart(after)) ? 'unchanged' : 'changed';
}

/** The object without what others write all the time. */
function ownPart({ metadata, ...object }: KubeObject): object {
  const { resourceVersion, managedFields, ...rest } = metadata;
  return { ...object, metadata: rest, status: undefined };
}
