import type { KubeClient } from '@turnsole/kube/client/types';
import type { KubeObject } from '@turnsole/kube/kinds/core';
import type { Resource } from '@turnsole/kube/kinds/resources';
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
