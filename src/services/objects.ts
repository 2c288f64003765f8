/** Small verbs on objects that may be gone, or whose kind the cluster may not have. */

import { isNotFound, unless } from '@turnsole/kube/client/errors';
import type { KubeClient, ListOptions } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';

/** The objects of a kind; none when the cluster does not have it. */
export async function listOrNone<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  options: ListOptions,
): Promise<T[]> {
  return (await unless(isNotFound, client.list<T>(resource, options)))?.items ?? [];
}

/** Deletes an object with all that it owns. Resolves to whether it was there. */
export function deleteOne(
  client: KubeClient,
  resource: Resource,
  { metadata }: KubeObject,
  signal: AbortSignal,
): Promise<boolean> {
  const { name, namespace } = metadata;
  const place = namespace === undefined ? {} : { namespace };
  return unlessGone(client.delete(resource, name, { ...place, signal, propagationPolicy: 'Background' }));
}

/** Changes fields of a spec. Resolves to whether the object was there. */
export function patchSpec(
  client: KubeClient,
  resource: Resource,
  { metadata }: KubeObject,
  spec: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<boolean> {
  const { name, namespace } = metadata;
  const place = namespace === undefined ? {} : { namespace };
  return unlessGone(client.patch(resource, name, 'merge', { spec }, { ...place, signal }));
}

/** Whether the object of a request was there. */
export async function unlessGone(request: Promise<unknown>): Promise<boolean> {
  return (
    (await unless(
      isNotFound,
      request.then(() => true),
    )) ?? false
  );
}
