import type { Pod } from '@turnsole/kube/kinds/core';
import { isActive } from '@turnsole/kube/kinds/pod-phase';
import { PODS } from '@turnsole/kube/kinds/resources';
import { parseQuantity, quantityToNumber } from '@turnsole/kube/text/quantity';
import type { InjectionTarget } from '../api/index.ts';
import { askUntil } from '../experiment/injection/ask-until.ts';
import { InjectError } from '../experiment/injection/errors.ts';
import type { FaultContext, ObservedTarget } from '../experiment/injection/fault.ts';
import { containerStatus, limitsInForce, runningId } from '../experiment/targets/container-status.ts';

/** The fields of a container that are read before the injection; JSON. */
interface ObservedContainer extends Record<string, unknown> {
  readonly uid: string | undefined;
  /** Undefined while it does not run. */
  readonly containerId: string | undefined;
  readonly waiting: string | undefined;
  /** `resources.limits['ephemeral-storage']`, as it stands there. */
  readonly storageLimit: string | undefined;
  /** Its limits of CPU time and memory; undefined without one. */
  readonly limits: { readonly cpus: number | undefined; readonly memoryBytes: number | undefined };
}

/** Reads it; for `observe` of faults that act on a running container. */
export async function observeContainer(
  target: InjectionTarget,
  { client, signal }: Pick<FaultContext, 'client' | 'signal'>,
): Promise<ObservedContainer> {
  return observedContainer(
    await client.get<Pod>(PODS, target.name, { namespace: target.namespace, signal }),
    target,
  );
}

/** What matters of it in a pod that has been read. Pure. */
export function observedContainer(pod: Pod, target: InjectionTarget): ObservedContainer {
  const status = containerStatus(pod, target);
  const limits = limitsInForce(pod, target);
  const limit = limits?.['ephemeral-storage'];
  return {
    uid: pod.metadata.uid,
    containerId: runningId(status),
    waiting: status?.state?.waiting?.reason,
    storageLimit: limit === undefined ? undefined : String(limit),
    limits: { cpus: numberOf(limits?.cpu), memoryBytes: numberOf(limits?.memory) },
  };
}

function numberOf(quantity: string | number | undefined): number | undefined {
  return quantity === undefined ? undefined : quantityToNumber(parseQuantity(String(quantity)));
}

/**
 * The id of the container that runs as target now; undefined while none does, `gone` when the pod is gone for good.
 */
export async function currentContainer(
  target: InjectionTarget,
  { client, signal }: Pick<FaultContext, 'client' | 'signal'>,
): Promise<string | undefined | 'gone'> {
  const pod = await client.find<Pod>(PODS, target.name, { namespace: target.namespace, signal });
  const isOver = pod === undefined || pod.metadata.uid !== target.uid || !isActive(pod);
  return isOver ? 'gone' : runningId(containerStatus(pod, target));
}

/**
 * The id of the container that runs as target, as soon as one does; undefined when the pod is gone for good, or none came in time.
 */
export async function awaitContainer(
  target: InjectionTarget,
  context: Pick<FaultContext, 'client' | 'clock' | 'signal'>,
  timeoutMs: number,
): Promise<string | undefined> {
  const { client, clock, signal } = context;
  const found = await askUntil({
    ask: () => currentContainer(target, context),
    timeoutMs,
    clock,
    signal,
    bell: { client, resource: PODS, namespace: target.namespace ?? '' },
  });
  return found === 'gone' ? undefined : found;
}

/**
 * The container to act on.
 *
 * @param act as in `cannot <act> container …`
 * @throws InjectError when it does not run, or belongs to another incarnation of the pod
 */
export function runningContainer(act: string, target: ObservedTarget): string {
  const { observed = {}, namespace, name, container, uid } = target;
  const what = `cannot ${act} container ${container} of pod ${namespace}/${name}`;
  if (observed.uid !== uid)
    throw new InjectError(`${what}: the pod was replaced by another one of the same name`);
  if (typeof observed.containerId === 'string') return observed.containerId;
  const state = typeof observed.waiting === 'string' ? ` (${observed.waiting})` : '';
  throw new InjectError(`${what}: it is not running${state}; repair the application first`);
}
