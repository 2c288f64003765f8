import { unless } from '@turnsole/kube/client/errors';
import { ControllerBase } from '@turnsole/kube/controllers/controller';
import { isNamespaceGoing } from '@turnsole/kube/controllers/errors';
import type { FreshView } from '@turnsole/kube/controllers/fresh-view';
import { BY_NAMESPACE } from '@turnsole/kube/controllers/informers';
import { readOnly } from '@turnsole/kube/controllers/sources';
import { type Endpoints, type Node, objectKey, type Pod, type Service } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import { ENDPOINT_SLICES, ENDPOINTS, NODES, PODS, SERVICES } from '@turnsole/kube/kinds/resources';
import { fromMapped, fromObjects, type ReconcileRequest, type Source } from '@turnsole/kube/runtime/index';
import { equivalentJson } from '@turnsole/kube/text/json';
import { hasLabels } from '@turnsole/kube/text/label-selector';
import { isReady, podsWithLabels } from '../shared/pods.ts';
import type { EndpointSlice } from '../shared/types.ts';
import { decideEndpoints } from './decide-endpoints.ts';
import { decideSlices, MANAGED_BY, SERVICE_NAME, SLICE_MANAGER } from './decide-slices.ts';
import { hasEndpoints } from './service-pods.ts';
import { TriggerTimes } from './trigger-time.ts';
import { writeSlices } from './write-slices.ts';

/** Input of the decision for a service. */
interface ObservedService {
  readonly service: Service;
  readonly pods: readonly Pod[];
  readonly changedAt: string | undefined;
}

/** Keeps the Endpoints and EndpointSlices of services with a selector equal to their pods. */
export class EndpointsController extends ControllerBase {
  readonly name = 'endpoints';
  readonly restFactor = 9;
  readonly #services = this.context.informers.view<Service>(SERVICES);
  readonly #pods = this.context.informers.view<Pod>(PODS);
  readonly #nodes = this.context.informers.view<Node>(NODES);
  readonly #endpoints = this.context.informers.view<Endpoints>(ENDPOINTS);
  readonly #slices = this.context.informers.view<EndpointSlice>(ENDPOINT_SLICES);
  readonly #triggerTimes = new TriggerTimes();
  readonly sources = [
    fromObjects(this.#services.informer),
    fromServicePods(this.#pods, this.#services),
    fromMapped(this.#slices.informer, ({ metadata }) => {
      const name = metadata.labels?.[SERVICE_NAME];
      return name === undefined ? [] : [`${metadata.namespace}/${name}`];
    }),
    // Endpoints changed by hand are put right, those of a service without selector are left as they are.
    fromMapped(this.#endpoints.informer, (object) =>
      this.#services.get(objectKey(object)) ? [objectKey(object)] : [],
    ),
    readOnly(this.#nodes),
  ];

  sizeOf(key: string): number {
    return (this.#endpoints.get(key)?.subsets ?? []).reduce(
      (sum, { addresses = [], notReadyAddresses = [] }) => sum + addresses.length + notReadyAddresses.length,
      0,
    );
  }

  async reconcile({ key, namespace = '', name }: ReconcileRequest, signal: AbortSignal): Promise<void> {
    const service = this.#services.get(key);
    if (service === undefined) {
      this.#triggerTimes.forget(key);
      await this.#removeAll(namespace, name, signal);
      return;
    }
    if (!hasEndpoints(service) || service.metadata.deletionTimestamp !== undefined) return;
    const pods = podsWithLabels(this.#pods, namespace, service.spec?.selector ?? {});
    const observed = { service, pods, changedAt: this.#triggerTimes.next(key, service, pods) };
    const writes = [this.#writeEndpoints(observed, signal), this.#writeSlices(observed, signal)];
    await unless(isNamespaceGoing, Promise.all(writes));
  }

  async #writeEndpoints({ service, pods, changedAt }: ObservedService, signal: AbortSignal): Promise<void> {
    const { writer } = this.context;
    const present = this.#endpoints.get(objectKey(service));
    const wanted = decideEndpoints(service, pods, present, changedAt);
    if (wanted === undefined) return;
    if (present === undefined) await writer.create<Endpoints>(ENDPOINTS, wanted, signal);
    else await writer.update<Endpoints>(ENDPOINTS, wanted, signal);
  }

  async #writeSlices({ service, pods, changedAt }: ObservedService, signal: AbortSignal): Promise<void> {
    const { name, namespace = '' } = service.metadata;
    const present = this.#slicesOf(namespace, name);
    const plan = decideSlices(service, pods, present, (node) => this.#nodes.get(node), changedAt);
    await writeSlices(this.context.writer, plan, signal);
  }

  /** The service is gone; Endpoints have no owner reference, as people make them by hand too. */
  async #removeAll(namespace: string, name: string, signal: AbortSignal): Promise<void> {
    const { writer } = this.context;
    const left = this.#endpoints.get(`${namespace}/${name}`);
    if (left !== undefined) await writer.delete<Endpoints>(ENDPOINTS, left, signal);
    for (const slice of this.#slicesOf(namespace, name)) await writer.delete(ENDPOINT_SLICES, slice, signal);
  }

  /** Slices of a service that this controller keeps; others make slices of their own for it. */
  #slicesOf(namespace: string, name: string): EndpointSlice[] {
    const wanted = { [SERVICE_NAME]: name, [MANAGED_BY]: SLICE_MANAGER };
    return this.#slices
      .byIndex(BY_NAMESPACE, namespace)
      .filter(({ metadata }) => hasLabels(wanted, metadata.labels));
  }
}

/** Services that a pod belongs to, when something about it changes that endpoints show. */
function fromServicePods(pods: FreshView<Pod>, services: FreshView<Service>): Source {
  const keysOf = ({ metadata }: Pod): string[] =>
    services
      .byIndex(BY_NAMESPACE, metadata.namespace ?? '')
      .filter((service) => hasEndpoints(service) && hasLabels(service.spec?.selector ?? {}, metadata.labels))
      .map(objectKey);
  return fromMapped(pods.informer, keysOf, isVisibleChange);
}

function isVisibleChange(pod: Pod, old: Pod): boolean {
  return (
    isReady(pod) !== isReady(old) ||
    isFinished(pod) !== isFinished(old) ||
    pod.metadata.deletionTimestamp !== old.metadata.deletionTimestamp ||
    pod.spec?.nodeName !== old.spec?.nodeName ||
    pod.status?.podIP !== old.status?.podIP ||
    !equivalentJson(pod.status?.podIPs, old.status?.podIPs) ||
    !equivalentJson(pod.metadata.labels, old.metadata.labels)
  );
}
