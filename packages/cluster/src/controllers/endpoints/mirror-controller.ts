import { unless } from '@turnsole/kube/client/errors';
import { ControllerBase } from '@turnsole/kube/controllers/controller';
import { isNamespaceGoing } from '@turnsole/kube/controllers/errors';
import { BY_NAMESPACE } from '@turnsole/kube/controllers/informers';
import type { Endpoints, Service } from '@turnsole/kube/kinds/core';
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '@turnsole/kube/kinds/resources';
import { fromMapped, fromObjects, type ReconcileRequest } from '@turnsole/kube/runtime/index';
import type { EndpointSlice } from '../shared/types.ts';
import { decideMirror, isMirrored, MIRROR_MANAGER } from './decide-mirror.ts';
import { MANAGED_BY, SERVICE_NAME } from './decide-slices.ts';
import { writeSlices } from './write-slices.ts';

/** Repeats the Endpoints of services without selector, which people make by hand, as EndpointSlices. */
export class EndpointSliceMirrorController extends ControllerBase {
  readonly name = 'endpoint-slice-mirror';
  readonly #services = this.context.informers.view<Service>(SERVICES);
  readonly #endpoints = this.context.informers.view<Endpoints>(ENDPOINTS);
  readonly #slices = this.context.informers.view<EndpointSlice>(ENDPOINT_SLICES);
  readonly sources = [
    fromObjects(this.#endpoints.informer),
    fromObjects(this.#services.informer),
    fromMapped(this.#slices.informer, ({ metadata }) => {
      const name = metadata.labels?.[SERVICE_NAME];
      return name === undefined || !isMirror(metadata.labels) ? [] : [`${metadata.namespace}/${name}`];
    }),
  ];

  async reconcile({ key, namespace = '', name }: ReconcileRequest, signal: AbortSignal): Promise<void> {
    const present = this.#slices
      .byIndex(BY_NAMESPACE, namespace)
      .filter(({ metadata: { labels } }) => labels?.[SERVICE_NAME] === name && isMirror(labels));
    const source = this.#endpoints.get(key);
    const service = this.#services.get(key);
    const wanted =
      source !== undefined && isMirrored(source) && service !== undefined && !hasSelector(service);
    const plan = wanted ? decideMirror(source, present) : { create: [], update: [], delete: present };
    await unless(isNamespaceGoing, writeSlices(this.context.writer, plan, signal));
  }
}

function isMirror(labels: Readonly<Record<string, string>> | undefined): boolean {
  return labels?.[MANAGED_BY] === MIRROR_MANAGER;
}

function hasSelector({ spec }: Service): boolean {
  return spec?.selector !== undefined && Object.keys(spec.selector).length > 0;
}
