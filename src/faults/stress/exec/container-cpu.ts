import type { Pod } from '@turnsole/kube/kinds/core';
import { lastingContainers } from '@turnsole/kube/kinds/lasting-containers';
import { PODS } from '@turnsole/kube/kinds/resources';
import { parseQuantity, quantityToNumber } from '@turnsole/kube/text/quantity';
import type { InjectionTarget } from '../../../api/index.ts';
import type { FaultContext } from '../../../experiment/injection/fault.ts';

/** CPU limit of the target's container, in processors, as its pod has it; undefined without one. */
export async function cpuLimitOf(
  { namespace, name, container }: InjectionTarget,
  { client, signal }: Pick<FaultContext, 'client' | 'signal'>,
): Promise<number | undefined> {
  const pod = await client.find<Pod>(PODS, name, { namespace, signal });
  const found = lastingContainers(pod?.spec).find((one) => one.name === container);
  const limit = found?.resources?.limits?.cpu;
  return limit === undefined ? undefined : quantityToNumber(parseQuantity(limit));
}
