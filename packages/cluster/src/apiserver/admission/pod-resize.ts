/** Refuses what the node of a pod can never give it. Source: kubernetes.io, Resize CPU and Memory Resources assigned to Containers. */
import { forbidden } from '../http/status.ts';
import { asJson, asString, valueAt } from '../object.ts';
import type { AdmissionAttempt, ServerParts } from '../registry/environment.ts';
import { objectOf } from '../stored-object.ts';
import { isPodResize, podAmounts, readAmounts } from './resources.ts';

/** How amounts stand in messages: CPU in thousandths. */
const UNITS = { cpu: 1_000_000n, memory: 1_000_000_000n } as const;

/** Throws Forbidden for a resize of a pod to more than its node has in all. */
export function reviewPodResize(env: ServerParts, attempt: AdmissionAttempt): void {
  const { object, old, definition, name } = attempt;
  if (object === undefined || !isPodResize(attempt)) return;
  const nodeName = asString(asJson(object.spec).nodeName);
  if (nodeName === '' || object.metadata.generation === old?.metadata.generation) return;
  const node = env.store.get('nodes', '', nodeName);
  if (node === undefined) throw forbidden(definition, name, `node ${JSON.stringify(nodeName)} not found`);
  const allocatable = readAmounts(valueAt(objectOf(node), 'status', 'allocatable'));
  const requests = podAmounts(object, 'requests');
  const excess = (['cpu', 'memory'] as const).flatMap((resource) => {
    const [asked, most] = [requests.get(resource)?.nano ?? 0n, allocatable.get(resource)?.nano ?? 0n];
    if (asked <= most) return [];
    const amounts = `requested: ${asked / UNITS[resource]}, allocatable: ${most / UNITS[resource]}`;
    return [`${resource}, ${amounts}`];
  });
  if (excess.length === 0) return;
  const why = `node didn't have enough allocatable resources: ${excess.join('; ')}`;
  throw forbidden(definition, name, why, [{ reason: 'NodeCapacity' }]);
}
