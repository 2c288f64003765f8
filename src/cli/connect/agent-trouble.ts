import type { KubeClient } from '@turnsole/kube/client/types';
import type { Pod } from '@turnsole/kube/kinds/core';
import { PODS } from '@turnsole/kube/kinds/resources';

/** A pod of the agent, by its label in upstream's manifests and in ours. */
const SELECTOR = 'app=subscriber';

/** What keeps the agent's pod from working, in a sentence; undefined when no reason is known. */
export async function agentTrouble(client: KubeClient, namespace: string): Promise<string | undefined> {
  const pods = await client.list<Pod>(PODS, { namespace, labelSelector: SELECTOR });
  const [pod] = pods.items.toSorted((a, b) => createdMs(b) - createdMs(a));
  if (pod === undefined) return `namespace ${namespace} has no pod of the agent (label ${SELECTOR})`;
  return troubleOf(pod);
}

function createdMs({ metadata }: Pod): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}

/** The same of one pod. Pure. */
export function troubleOf({ metadata, status }: Pod): string | undefined {
  const name = `pod ${metadata.namespace}/${metadata.name}`;
  for (const { state, lastState } of status?.containerStatuses ?? []) {
    const { reason, message } = state?.waiting ?? {};
    if (reason === undefined || reason === 'ContainerCreating') continue;
    const exit = lastState?.terminated?.exitCode;
    const details = [message, exit === undefined ? undefined : `it ended with exit code ${exit}`];
    return [`${name}: ${reason}`, ...details.filter((text) => text !== undefined && text !== '')].join(', ');
  }
  const unscheduled = status?.conditions?.find(
    ({ type, status: is }) => type === 'PodScheduled' && is === 'False',
  );
  return unscheduled === undefined
    ? undefined
    : `${name} is not scheduled: ${unscheduled.message ?? unscheduled.reason}`;
}
