import { unless } from '@turnsole/kube/client/errors';
import type { ControllerContext } from '@turnsole/kube/controllers/context';
import { isOutdated } from '@turnsole/kube/controllers/errors';
import { setConditionAt } from '@turnsole/kube/kinds/conditions';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { PodCondition } from './types.ts';

/** Sets a condition of a pod. Leaves a pod as it is that has changed or gone at the same time: its next watch event comes. */
export async function setPodCondition(
  { writer, clock }: Pick<ControllerContext, 'writer' | 'clock'>,
  pod: Pod,
  condition: PodCondition,
  signal: AbortSignal,
): Promise<void> {
  const { generation: observedGeneration } = pod.metadata;
  const wanted = observedGeneration === undefined ? condition : { ...condition, observedGeneration };
  const conditions = setConditionAt<PodCondition>(pod.status?.conditions, wanted, clock.now());
  await unless(isOutdated, writer.setStatus<Pod>(PODS, pod, { ...pod.status, conditions }, signal));
}
