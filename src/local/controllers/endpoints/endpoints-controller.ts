import { type Endpoints, type Node, objectKey, type Pod, type Service } from '../../../api/core.ts';
import { ENDPOINT_SLICES, ENDPOINTS, NODES, PODS, SERVICES } from '../../../api/resources.ts';
import { type Controller, fromMapped, fromObjects, type Source } from '../../../kube/runtime/index.ts';
import { type ControllerContext, isNamespaceGoing } from '../shared/context.ts';
import { createController } from '../shared/controller.ts';
import { equalJson } from '../shared/equal.ts';
import type { FreshView } from '../shared/fresh-view.ts';
import { BY_NAMESPACE } from '../shared/informers.ts';
import { isFinished, isReady, podsWithLabels } from '../shared/pods.ts';
import { matchesLabels } from '../shared/selector.ts';
import { readOnly } from '../shared/sources.ts';
import type { EndpointSlice } from '../shared/types.ts';
import { decideEndpoints } from './decide-endpoints.ts';
import { decideSlices, MANAGED_BY, SERVICE_NAME, SLICE_MANAGER } from './decide-slices.ts';
import { hasEndpoints } from './service-pods.ts';
import { TriggerTimes } from './trigger-time.ts';

/** Keeps the Endpoints and EndpointSlices of services with a selector equal to their pods. */
export function endpointsController(context: ControllerContext): Controller {
  const { informers, writer } = context;
  const services = informers.view<Service>(SERVICES);
  const pods = informers.view<Pod>(PODS);
  const nodes = informers.view<Node>(NODES);
  const endpoints = informers.view<Endpoints>(ENDPOINTS);
  const slices = informers.view<EndpointSlice>(ENDPOINT_SLICES);

  const triggerTimes = new TriggerTimes();

  /** Slices of a service that this controller keeps; others make slices of their own for it. */
  function slicesOf(namespace: string, name: string): EndpointSlice[] {
    return slices
      .byIndex(BY_NAMESPACE, namespace)
      .filter(
        ({ metadata }) =>
          metadata.labels?.[SERVICE_NAME] === name && metadata.labels[MANAGED_BY] === SLICE_MANAGER,
      );
  }

  async function writeEndpoints(
    service: Service,
    own: readonly Pod[],
    changedAt: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const present = endpoints.get(objectKey(service));
    const wanted = decideEndpoints(service, own, present, changedAt);
    if (wanted === undefined) return;
    if (present === undefined) await writer.create<Endpoints>(ENDPOINTS, wanted, signal);
    else await writer.update<Endpoints>(ENDPOINTS, wanted, signal);
  }

  async function writeSlices(
    service: Service,
    own: readonly Pod[],
    changedAt: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { name, namespace = '' } = service.metadata;
    const present = slicesOf(namespace, name);
    const plan = decideSlices(service, own, present, (node) => nodes.get(node), changedAt);
    for (const slice of plan.create) await writer.create<EndpointSlice>(ENDPOINT_SLICES, slice, signal);
    for (const slice of plan.update) await writer.update<EndpointSlice>(ENDPOINT_SLICES, slice, signal);
    for (const slice of plan.delete) await writer.delete<EndpointSlice>(ENDPOINT_SLICES, slice, signal);
  }

  /** The service is gone; Endpoints have no owner reference, as people make them by hand too. */
  async function removeAll(namespace: string, name: string, signal: AbortSignal): Promise<void> {
    const left = endpoints.get(`${namespace}/${name}`);
    if (left !== undefined) await writer.delete<Endpoints>(ENDPOINTS, left, signal);
    for (const slice of slicesOf(namespace, name)) await writer.delete(ENDPOINT_SLICES, slice, signal);
  }

  return createController(context, {
    name: 'endpoints',
    sources: [
      fromObjects(services.informer),
      fromServicePods(pods, services),
      fromMapped(slices.informer, ({ metadata }) => {
        const name = metadata.labels?.[SERVICE_NAME];
        return name === undefined ? [] : [`${metadata.namespace}/${name}`];
      }),
      // Endpoints changed by hand are put right, those of a service without selector are left as they are.
      fromMapped(endpoints.informer, (object) =>
        services.get(objectKey(object)) ? [objectKey(object)] : [],
      ),
      readOnly(nodes),
    ],
    sizeOf: (key) => sizeOf(endpoints.get(key)),
    restFactor: 9,
    reconcile: async ({ key, namespace = '', name }, signal) => {
      const service = services.get(key);
      if (service === undefined) {
        triggerTimes.forget(key);
        await removeAll(namespace, name, signal);
        return;
      }
      if (!hasEndpoints(service) || service.metadata.deletionTimestamp !== undefined) return;
      const selector = service.spec?.selector ?? {};
      const own = podsWithLabels(pods, namespace, selector);
      try {
        const changedAt = triggerTimes.next(key, service, own);
        await Promise.all([
          writeEndpoints(service, own, changedAt, signal),
          writeSlices(service, own, changedAt, signal),
        ]);
      } catch (error) {
        if (!isNamespaceGoing(error)) throw error;
      }
    },
  });
}

function sizeOf(endpoints: Endpoints | undefined): number {
  return (endpoints?.subsets ?? []).reduce(
    (sum, { addresses, notReadyAddresses }) =>
      sum + (addresses?.length ?? 0) + (notReadyAddresses?.length ?? 0),
    0,
  );
}

/** Services that a pod belongs to, when something about it changes that endpoints show. */
function fromServicePods(pods: FreshView<Pod>, services: FreshView<Service>): Source {
  const keysOf = ({ metadata }: Pod): string[] =>
    services
      .byIndex(BY_NAMESPACE, metadata.namespace ?? '')
      .filter(
        (service) => hasEndpoints(service) && matchesLabels(service.spec?.selector ?? {}, metadata.labels),
      )
      .map(objectKey);
  return {
    subscribe: (enqueue) =>
      pods.informer.addHandler({
        onAdd: (pod) => keysOf(pod).forEach(enqueue),
        onUpdate: (pod, old) => {
          if (!isVisibleChange(pod, old)) return;
          for (const key of new Set([...keysOf(pod), ...keysOf(old)])) enqueue(key);
        },
        onDelete: (pod) => keysOf(pod).forEach(enqueue),
      }),
    whenSynced: (signal) => pods.informer.whenSynced(signal),
  };
}

function isVisibleChange(pod: Pod, old: Pod): boolean {
  return (
    isReady(pod) !== isReady(old) ||
    isFinished(pod) !== isFinished(old) ||
    pod.metadata.deletionTimestamp !== old.metadata.deletionTimestamp ||
    pod.spec?.nodeName !== old.spec?.nodeName ||
    pod.status?.podIP !== old.status?.podIP ||
    !equalJson(pod.status?.podIPs, old.status?.podIPs) ||
    !equalJson(pod.metadata.labels, old.metadata.labels)
  );
}
