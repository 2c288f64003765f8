import { setTimeout as delay } from 'node:timers/promises';
import { isConflict, isGone, isNotFound, unless } from '@turnsole/kube/client/errors';
import type { Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, PODS } from '@turnsole/kube/kinds/resources';
import { locateContainer } from '../../src/experiment/node/container-locator.ts';
import type { FaultCluster } from '../faults/support/fault-cluster.ts';
import { restartRollout } from '../faults/support/web-deployment.ts';
import type { Seeded } from '../support/seeded.ts';

/** Something that happens to the pods of a Deployment `web`. */
export interface Mishap {
  readonly kind: (typeof KINDS)[number];
  /** After the one before. */
  readonly afterMs: number;
  /** Which of the pods, and how many replicas. */
  readonly draw: number;
}

const KINDS = ['restart', 'delete', 'kill-pod', 'evict', 'scale', 'kill-container'] as const;

/** What happens in a seed, while a fault is held for so long. */
export function drawMishaps(random: Seeded, heldMs: number): readonly Mishap[] {
  const count = random.between(1, 4);
  return Array.from({ length: count }, () => ({
    kind: random.pick(KINDS),
    afterMs: random.between(100, Math.floor(heldMs / count)),
    draw: random.between(0, 1_000),
  }));
}

/** Does these, one after another. What is gone by then is let be. */
export async function befall(
  cluster: FaultCluster,
  namespace: string,
  mishaps: readonly Mishap[],
): Promise<void> {
  for (const { kind, afterMs, draw } of mishaps) {
    await delay(afterMs);
    if (kind === 'restart') await restartRollout(cluster, namespace);
    else if (kind === 'scale') await scale(cluster, namespace, draw % 5);
    else {
      const { items } = await cluster.client.list<Pod>(PODS, { namespace, labelSelector: 'app=web' });
      const pod = items[draw % Math.max(items.length, 1)];
      const isOver = (error: unknown): boolean => isNotFound(error) || isConflict(error) || isGone(error);
      if (pod !== undefined) await unless(isOver, toPod(cluster, namespace, pod, kind));
    }
  }
}

async function scale(cluster: FaultCluster, namespace: string, replicas: number): Promise<void> {
  await cluster.client.patch(DEPLOYMENTS, 'web', 'merge', { spec: { replicas } }, { namespace });
}

async function toPod(
  { client }: FaultCluster,
  namespace: string,
  { metadata: { name }, status }: Pod,
  kind: 'delete' | 'kill-pod' | 'evict' | 'kill-container',
): Promise<void> {
  if (kind === 'delete') await client.delete(PODS, name, { namespace });
  else if (kind === 'kill-pod') await client.delete(PODS, name, { namespace, gracePeriodSeconds: 0 });
  else if (kind === 'evict') {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    await client.create(PODS, body, { namespace, subresource: 'eviction' });
  } else {
    const id = status?.containerStatuses?.[0]?.containerID ?? '';
    const found = await locateContainer(id).catch(() => undefined);
    if (found !== undefined) process.kill(found.pid, 'SIGKILL');
  }
}
