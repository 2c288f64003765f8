import { isConflict, isNotFound } from '@turnsole/kube/client/errors';
import type { DeleteOptions, KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';

interface DeleteHow extends Pick<DeleteOptions, 'gracePeriodSeconds' | 'propagationPolicy'> {
  readonly signal: AbortSignal;
  /** Also not if it has changed since. @default only if it is another object of that name */
  readonly onlyAsSeen?: boolean;
}

/**
 * Deletes this very object. That it is gone already is as good.
 *
 * @returns whether it is gone or going; false when the name belongs to another object, or it has changed and only this version was meant
 */
export async function deleteObject(
  client: KubeClient,
  resource: Resource,
  { metadata }: KubeObject,
  { signal, onlyAsSeen = false, ...how }: DeleteHow,
): Promise<boolean> {
  const { name, namespace, uid, resourceVersion } = metadata;
  const preconditions = {
    uid,
    resourceVersion: onlyAsSeen ? resourceVersion : undefined,
  };
  try {
    await client.delete(resource, name, {
      ...how,
      namespace,
      signal,
      preconditions,
    });
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    if (isConflict(error)) return false;
    throw error;
  }
}
