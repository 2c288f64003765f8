import { isNotFound, unless } from '../client/errors.ts';
import type { JsonPatchOperation, KubeClient } from '../client/types.ts';
import type { KubeObject } from '../kinds/core.ts';
import type { Resource } from '../kinds/resources.ts';
import { type RetryOptions, retryOnConflict } from './retry-on-conflict.ts';

/** Whether an object waits for this finalizer. */
export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** Whether deletion was asked for; it happens when the last finalizer is gone. */
export function isBeingDeleted(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** The object's finalizers with this one among them. The server refuses new ones of an object that is being deleted. */
export function withFinalizer(object: KubeObject, finalizer: string): string[] {
  return [...new Set([...(object.metadata.finalizers ?? []), finalizer])];
}

/** The object's finalizers without this one. */
export function withoutFinalizer(object: KubeObject, finalizer: string): string[] {
  return (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
}

/** Takes a finalizer off an object. Resolves to the object, or undefined when it is gone with it. Idempotent. */
export async function removeFinalizer<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  object: T,
  finalizer: string,
  options: RetryOptions = {},
): Promise<T | undefined> {
  const { name, namespace, uid } = object.metadata;
  const request = { namespace, signal: options.signal };
  let current: T | undefined = object;
  return await retryOnConflict(async (attempt) => {
    if (attempt > 1) current = await client.find<T>(resource, name, request);
    // The name may meanwhile belong to another object, which is none of our business.
    if (current === undefined || current.metadata.uid !== uid) return undefined;
    if (!hasFinalizer(current, finalizer)) return current;
    return unless(isNotFound, client.patch<T>(resource, name, 'json', removal(current, finalizer), request));
  }, options);
}

/** Tests the version: the index means this finalizer only in this version of the list, and only of this object. */
function removal({ metadata }: KubeObject, finalizer: string): JsonPatchOperation[] {
  const index = metadata.finalizers?.indexOf(finalizer);
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    { op: 'remove', path: `/metadata/finalizers/${index}` },
  ];
}
