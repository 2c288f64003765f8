import type { Pod } from '@turnsole/kube/kinds/core';
import { locateContainer } from '../../src/experiment/node/container-locator.ts';

/**
 * The first process of a pod's container, where the pod runs on this machine.
 *
 * @param pod with a status in which the container runs, as tests get it from FaultCluster
 * @param container name @default the first one
 * @throws ContainerRuntimeError when the status names no container, or it has no process
 */
export async function firstProcessOf(pod: Pod, container?: string): Promise<number> {
  const statuses = pod.status?.containerStatuses ?? [];
  const status = container === undefined ? statuses[0] : statuses.find(({ name }) => name === container);
  return (await locateContainer(status?.containerID ?? '')).pid;
}
