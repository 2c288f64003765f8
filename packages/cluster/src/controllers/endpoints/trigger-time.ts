import { findCondition } from '@turnsole/kube/kinds/conditions';
import type { Pod, Service } from '@turnsole/kube/kinds/core';
import { metaTime, parseTime } from '@turnsole/kube/text/time';

/** Annotation of Endpoints and slices with the time of the change that led to them, for measuring how late they are. */
export const LAST_CHANGE = 'endpoints.kubernetes.io/last-change-trigger-time';

interface Known {
  readonly serviceMs: number;
  readonly podsMs: ReadonlyMap<string, number>;
}

/** When what endpoints follow from has changed, service by service (Kubernetes' trigger time tracker). */
export class TriggerTimes {
  readonly #known = new Map<string, Known>();

  /**
   * The earliest change since the last call for this service: it was made, or a pod became ready or not ready; as RFC 3339
   * in whole seconds. Undefined when nothing of that has changed: that a pod has gone carries no time.
   */
  next(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#known.get(key);
    const serviceMs = parseTime(service.metadata.creationTimestamp) ?? 0;
    const podsMs = new Map(pods.map((pod) => [pod.metadata.name, readyChangedMs(pod)]));
    this.#known.set(key, { serviceMs, podsMs });
    const changes = [...podsMs]
      .filter(([name, ms]) => ms > (before?.podsMs.get(name) ?? 0))
      .map(([, ms]) => ms);
    if (serviceMs > (before?.serviceMs ?? 0)) changes.push(serviceMs);
    return changes.length === 0 ? undefined : metaTime(changes.reduce((a, b) => Math.min(a, b)));
  }

  /** The service is gone. */
  forget(key: string): void {
    this.#known.delete(key);
  }
}

function readyChangedMs({ status }: Pod): number {
  return parseTime(findCondition(status?.conditions, 'Ready')?.lastTransitionTime) ?? 0;
}

/** Annotations with the time of the last change, or without it when it is not known. */
export function withLastChange(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): { readonly annotations?: Record<string, string> } {
  const { [LAST_CHANGE]: _earlier, ...others } = annotations ?? {};
  const all = time === undefined ? others : { ...others, [LAST_CHANGE]: time };
  return Object.keys(all).length === 0 ? {} : { annotations: all };
}
