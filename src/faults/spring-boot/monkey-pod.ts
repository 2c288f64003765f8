/** A pod as the place of a Chaos Monkey: where to ask it, and which incarnation of the application it is. */

import type { Pod } from '@turnsole/kube/kinds/core';
import { isActive } from '@turnsole/kube/kinds/pod-phase';
import { PODS } from '@turnsole/kube/kinds/resources';
import type { InjectionTarget } from '../../api/index.ts';
import type { FaultContext } from '../../experiment/injection/fault.ts';
import { containerStatus, runningId } from '../../experiment/targets/container-status.ts';
import { hostPort } from '../remote/ask.ts';

/** The fields of a pod that are read. */
export interface MonkeyPod {
  readonly uid: string | undefined;
  readonly address: string | undefined;
  /** The container that has the actuator. */
  readonly container: string;
  /** Its running incarnation; undefined while none runs. */
  readonly containerId: string | undefined;
  readonly ready: boolean;
  readonly restartPolicy: string;
  /** The pod has ended or is being deleted. */
  readonly over: boolean;
}

/** Reads a pod; undefined when it does not exist, or is another one of its name. */
export async function findMonkeyPod(
  { namespace, name, uid }: InjectionTarget,
  port: number,
  { client, signal }: Pick<FaultContext, 'client' | 'signal'>,
): Promise<MonkeyPod | undefined> {
  const pod = await client.find<Pod>(PODS, name, { namespace, signal });
  return pod === undefined || (uid !== undefined && pod.metadata.uid !== uid)
    ? undefined
    : monkeyPodOf(pod, port);
}

/** What matters of a pod. Pure. The actuator is in the container that has its port, or else in the first. */
export function monkeyPodOf(pod: Pod, port: number): MonkeyPod {
  const containers = pod.spec?.containers ?? [];
  const declaring = containers.find(({ ports }) =>
    ports?.some(({ containerPort }) => containerPort === port),
  );
  const container = (declaring ?? containers[0])?.name ?? '';
  const status = containerStatus(pod, { container });
  return {
    uid: pod.metadata.uid,
    address: pod.status?.podIP,
    container,
    containerId: runningId(status),
    ready: status?.ready === true,
    restartPolicy: pod.spec?.restartPolicy ?? 'Always',
    over: !isActive(pod),
  };
}

/** Address of a Chaos Monkey. Pure. */
export function endpointOf(address: string, port: number, path: string): string {
  return `http://${hostPort(address, port)}${path.replace(/\/+$/, '')}`;
}
