import type { KubeObject, Resource } from '../../../src/api/index.ts';
import type { KubeClient, NewObject } from '../../../src/kube/client/types.ts';

/** Creates an object of any kind, in the namespace that it names. */
export async function create(
  client: KubeClient,
  resource: Resource,
  object: NewObject<KubeObject> & Readonly<Record<string, unknown>>,
): Promise<void> {
  const { namespace } = object.metadata;
  await client.create(resource, object, namespace === undefined ? {} : { namespace });
}
