import type { Endpoints, KubeObject, Service } from '@turnsole/kube/kinds/core';
import type { Informer } from '@turnsole/kube/runtime/index';
import type { EndpointSlice } from '../../controllers/shared/types.ts';
import { type NamedService, namedServices } from './name-table.ts';

/** The part of an informer that gives its objects and reports their changes. */
export type Followed<T extends KubeObject> = Pick<Informer<T>, 'lister' | 'addHandler'>;

/** Informers of services and their endpoints; their owner starts and stops them. */
export interface FollowedServices {
  readonly services: Followed<Service>;
  readonly slices: Followed<EndpointSlice>;
  readonly endpoints: Followed<Endpoints>;
}

/** Calls back at every change of a service or of its endpoints. Returns the way out. */
export function followServices(
  { services, slices, endpoints }: FollowedServices,
  changed: () => void,
): () => void {
  const handler = { onAdd: changed, onUpdate: changed, onDelete: changed };
  const leave = [services.addHandler(handler), slices.addHandler(handler), endpoints.addHandler(handler)];
  return () => {
    for (const unsubscribe of leave) unsubscribe();
  };
}

/** Every service with its endpoints, as known now. */
export function knownServices({ services, slices, endpoints }: FollowedServices): NamedService[] {
  return namedServices(services.lister.list(), slices.lister.list(), (key) => endpoints.lister.get(key));
}
