import { setConditionAt } from '../../../api/conditions.ts';
import type { Pod } from '../../../api/core.ts';
import { PODS } from '../../../api/resources.ts';
import { unless } from '../../../kube/client/errors.ts';
import type { ControllerContext } from '../../../kube/controllers/context.ts';
import { isOutdated } from '../../../kube/controllers/errors.ts';
import type { PodCondition } from './types.ts';

/** Sets a condition of a pod. Leaves a pod as it is that has changed or gone at the same time: its next watch event comes. */
export async function setPodCondition(
  { writer, clock }: Pick<ControllerContext, 'writer' | 'clock'>,
  pod: Pod,
  condition: PodCondition,
  signal: AbortSignal,
): Promise<void> {
  const conditions = setConditionAt<PodCondition>(pod.status?.conditions, condition, clock.now());
  await unless(isOutdated, writer.setStatus<Pod>(PODS, pod, { ...pod.status, conditions }, signal));
}
