import { type Endpoints, objectKey, type Service } from '../../../api/core.ts';
import { ENDPOINT_SLICES, ENDPOINTS, SERVICES } from '../../../api/resources.ts';
import { type Controller, fromMapped, fromObjects } from '../../../kube/runtime/index.ts';
import { type ControllerContext, isNamespaceGoing } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { BY_NAMESPACE } from '../shared/informers.ts';
import type { EndpointSlice } from '../shared/types.ts';
import { decideMirror, isMirrored, MIRROR_MANAGER } from './decide-mirror.ts';
import { MANAGED_BY, SERVICE_NAME } from './decide-slices.ts';

/** Repeats the Endpoints of services without selector, which people make by hand, as EndpointSlices. */
export function endpointSliceMirrorController(context: ControllerContext): Controller {
  const { informers, writer } = context;
  const services = informers.view<Service>(SERVICES);
  const endpoints = informers.view<Endpoints>(ENDPOINTS);
  const slices = informers.view<EndpointSlice>(ENDPOINT_SLICES);

  return createController(context, {
    name: 'endpoint-slice-mirror',
    sources: [
      fromObjects(endpoints.informer),
      fromMapped(services.informer, (service) => [objectKey(service)]),
      fromMapped(slices.informer, ({ metadata }) => {
        const name = metadata.labels?.[SERVICE_NAME];
        return name === undefined || !isMirror(metadata.labels) ? [] : [`${metadata.namespace}/${name}`];
      }),
    ],
    reconcile: async ({ key, namespace = '', name }, signal) => {
      const present = slices
        .byIndex(BY_NAMESPACE, namespace)
        .filter(({ metadata }) => metadata.labels?.[SERVICE_NAME] === name && isMirror(metadata.labels));
      const source = endpoints.get(key);
      const service = services.get(key);
      const wanted =
        source !== undefined && isMirrored(source) && service !== undefined && !hasSelector(service);
      const plan = wanted ? decideMirror(source, present) : { create: [], update: [], delete: present };
      try {
        for (const slice of plan.create) await writer.create<EndpointSlice>(ENDPOINT_SLICES, slice, signal);
        for (const slice of plan.update) await writer.update<EndpointSlice>(ENDPOINT_SLICES, slice, signal);
        for (const slice of plan.delete) await writer.delete<EndpointSlice>(ENDPOINT_SLICES, slice, signal);
      } catch (error) {
        if (!isNamespaceGoing(error)) throw error;
      }
    },
  });
}

function isMirror(labels: Readonly<Record<string, string>> | undefined): boolean {
  return labels?.[MANAGED_BY] === MIRROR_MANAGER;
}

function hasSelector({ spec }: Service): boolean {
  return spec?.selector !== undefined && Object.keys(spec.selector).length > 0;
}
