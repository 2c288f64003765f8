import { asJson, asObjects, type Json, valueAt } from '../object.ts';

/** `status.qosClass` of a pod. */
type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** The quality of service that limits and requests amount to. Source: kubernetes.io, Pod Quality of Service Classes. */
export function qosClass(spec: Json): QosClass {
  const containers = [...asObjects(spec.containers), ...asObjects(spec.initContainers)];
  let isGuaranteed = true;
  let isBestEffort = true;
  for (const container of containers) {
    const limits = asJson(valueAt(container, 'resources', 'limits'));
    const requests = asJson(valueAt(container, 'resources', 'requests'));
    for (const name of ['cpu', 'memory']) {
      const limit = limits[name];
      const request = requests[name] ?? limit;
      if (limit !== undefined || request !== undefined) isBestEffort = false;
      if (limit === undefined || limit !== request) isGuaranteed = false;
    }
  }
  return isBestEffort ? 'BestEffort' : isGuaranteed ? 'Guaranteed' : 'Burstable';
}
