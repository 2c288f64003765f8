import type { KubeObject } from '../../api/core.ts';
import type { Resource } from '../../api/resources.ts';
import { isNotFound } from '../client/errors.ts';
import type { JsonPatchOperation, KubeClient } from '../client/types.ts';
import { type RetryOptions, retryOnConflict } from './retry-on-conflict.ts';

/** Whether an object waits for this finalizer. */
export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

/** Whether deletion was asked for; it happens when the last finalizer is gone. */
export function isBeingDeleted(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/**
 * The patch that adds a finalizer, or undefined when there is nothing to do: it is there, or the object is being
 * deleted (the server then refuses new finalizers). Pure.
 *
 * It tests the resource version, so it never undoes what somebody else did to the list meanwhile.
 */
export function addFinalizerPatch(object: KubeObject, finalizer: string): JsonPatchOperation[] | undefined {
  if (hasFinalizer(object, finalizer) || isBeingDeleted(object)) return undefined;
  const present = object.metadata.finalizers;
  return [
    testVersion(object),
    present === undefined || present.length === 0
      ? { op: 'add', path: '/metadata/finalizers', value: [finalizer] }
      : { op: 'add', path: '/metadata/finalizers/-', value: finalizer },
  ];
}

/** The patch that removes a finalizer, or undefined when it is not there. Pure. */
export function removeFinalizerPatch(
  object: KubeObject,
  finalizer: string,
): JsonPatchOperation[] | undefined {
  const index = object.metadata.finalizers?.indexOf(finalizer) ?? -1;
  if (index === -1) return undefined;
  // The index means this finalizer only in this version of the list.
  return [testVersion(object), { op: 'remove', path: `/metadata/finalizers/${index}` }];
}

function testVersion(object: KubeObject): JsonPatchOperation {
  return { op: 'test', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion };
}

/**
 * Stores a finalizer on an object. Resolves to the object as it then is, or undefined when it is gone or being deleted:
 * nothing may be begun for it then. Idempotent.
 */
export async function addFinalizer<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  object: T,
  finalizer: string,
  options: RetryOptions = {},
): Promise<T | undefined> {
  const stored = await changeFinalizers(client, resource, object, addFinalizerPatch, finalizer, options);
  return stored !== undefined && hasFinalizer(stored, finalizer) ? stored : undefined;
}

/** Takes a finalizer off an object. Resolves to the object, or undefined when it is gone with it. Idempotent. */
export function removeFinalizer<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  object: T,
  finalizer: string,
  options: RetryOptions = {},
): Promise<T | undefined> {
  return changeFinalizers(client, resource, object, removeFinalizerPatch, finalizer, options);
}

async function changeFinalizers<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  object: T,
  decide: (object: KubeObject, finalizer: string) => JsonPatchOperation[] | undefined,
  finalizer: string,
  options: RetryOptions,
): Promise<T | undefined> {
  const { name, namespace, uid } = object.metadata;
  const request = { namespace, ...(options.signal === undefined ? {} : { signal: options.signal }) };
  let current: T | undefined = object;
  return await retryOnConflict(async (attempt) => {
    if (attempt > 1) current = await client.find<T>(resource, name, request);
    // The name may meanwhile belong to another object, which is none of our business.
    if (current === undefined || current.metadata.uid !== uid) return undefined;
    const patch = decide(current, finalizer);
    if (patch === undefined) return current;
    try {
      return await client.patch<T>(resource, name, 'json', patch, request);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }, options);
}
