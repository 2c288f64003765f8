import type { KubeClient, NewObject } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';

/** Creates an object of any kind, in the namespace that it names. */
export async function create(
  client: KubeClient,
  resource: Resource,
  object: NewObject<KubeObject> & Readonly<Record<string, unknown>>,
): Promise<void> {
  const { namespace } = object.metadata;
  await client.create(resource, object, namespace === undefined ? {} : { namespace });
}
