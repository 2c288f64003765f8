import type { KubeObject, Resource } from '../../src/api/index.ts';
import type { KubeClient } from '../../src/kube/client/types.ts';
import { type Onlooker, onlook, type Sight } from './sightings.ts';

/** Follows one object of the API by a watch. */
export function objectOnlooker<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  place: { readonly name: string; readonly namespace?: string },
  look: (object: T) => Sight,
): Onlooker {
  return onlook(async (sightings, signal) => {
    const { name, namespace } = place;
    const note = (object: T): void => {
      const isThere = look(object);
      if (isThere !== undefined) sightings.note(isThere);
    };
    const found = await client.get<T>(resource, name, { namespace });
    note(found);
    const { resourceVersion } = found.metadata;
    const fieldSelector = `metadata.name=${name}`;
    for await (const event of client.watch<T>(resource, {
      namespace,
      fieldSelector,
      resourceVersion,
      signal,
    })) {
      if (event.type !== 'BOOKMARK' && event.object.metadata.name === name) note(event.object);
    }
  });
}
