import { setTimeout as delay } from 'node:timers/promises';
import { agentAnnotations } from '@turnsole/cluster/node/agent-mode';
import { isConflict, isGone, isNotFound, unless } from '@turnsole/kube/client/errors';
import { isConditionTrue } from '@turnsole/kube/kinds/conditions';
import type { Pod } from '@turnsole/kube/kinds/core';
import { DEPLOYMENTS, NODES, PODS } from '@turnsole/kube/kinds/resources';
import { locateContainer } from '../../src/experiment/node/container-locator.ts';
import type { FaultCluster } from '../faults/support/fault-cluster.ts';
import { restartRollout } from '../faults/support/web-deployment.ts';
import type { Seeded } from '../support/seeded.ts';

/** Something that happens to the pods of a Deployment `web`, or to one of the nodes that they are on. */
export interface Mishap {
  readonly kind: (typeof KINDS)[number];
  /** After the one before. */
  readonly afterMs: number;
  /** Which of the pods, how many replicas, and how long a node is away. */
  readonly draw: number;
}

const ON_PODS = ['restart', 'delete', 'kill-pod', 'evict', 'scale', 'kill-container'] as const;
/** The kubelet stands still and what runs goes on, or the machine is off and all that ran on it is gone. */
const ON_NODES = ['lose-kubelet', 'lose-power'] as const;
const KINDS = [...ON_PODS, ...ON_NODES] as const;

/** How long a node is away at least, and how much longer at most. */
const AWAY_MS = 2_000;
const MOST_MORE_AWAY_MS = 20_000;

/** Which kinds are drawn from. */
export type MishapKinds = 'all' | 'on pods' | 'nodes first';

/** Whether a node is lost. */
export function losesNode({ kind }: Pick<Mishap, 'kind'>): boolean {
  return ON_NODES.some((one) => one === kind);
}

/**
 * What happens in a seed.
 *
 * @param kinds `on pods`: no node is lost; `nodes first`: one is lost before anything else happens
 * @param heldMs how long the fault is held while nodes are lost, or none is
 */
export function drawMishaps(
  random: Seeded,
  kinds: MishapKinds,
  heldMs: (isNodeLost: boolean) => number,
): readonly Mishap[] {
  const drawn = Array.from({ length: random.between(1, 4) }, (_, index) =>
    random.pick(kinds === 'on pods' ? ON_PODS : kinds === 'nodes first' && index === 0 ? ON_NODES : KINDS),
  );
  const mostMs = heldMs(drawn.some((kind) => losesNode({ kind })));
  return drawn.map((kind) => ({
    kind,
    afterMs: random.between(100, Math.floor(mostMs / drawn.length)),
    draw: random.between(0, 1_000),
  }));
}

/**
 * Does these, one after another. What is gone by then is let be.
 *
 * @param kept the node that stays, which the experiment is on
 */
export async function befall(
  cluster: FaultCluster,
  namespace: string,
  mishaps: readonly Mishap[],
  kept: string,
): Promise<void> {
  for (const { kind, afterMs, draw } of mishaps) {
    await delay(afterMs);
    if (kind === 'restart') await restartRollout(cluster, namespace);
    else if (kind === 'scale') await scale(cluster, namespace, draw % 5);
    else {
      const { items } = await cluster.client.list<Pod>(PODS, { namespace, labelSelector: 'app=web' });
      if (kind === 'lose-kubelet' || kind === 'lose-power') {
        const nodes = items.flatMap(({ spec }) => spec?.nodeName ?? []).filter((name) => name !== kept);
        const node = nodes[draw % Math.max(nodes.length, 1)];
        const mode = kind === 'lose-power' ? 'off' : 'stopped';
        if (node !== undefined)
          await loseNode(cluster, node, mode, AWAY_MS + (draw / 1_000) * MOST_MORE_AWAY_MS);
        continue;
      }
      const pod = items[draw % Math.max(items.length, 1)];
      const isOver = (error: unknown): boolean => isNotFound(error) || isConflict(error) || isGone(error);
      if (pod !== undefined) await unless(isOver, toPod(cluster, namespace, pod, kind));
    }
  }
}

/** Brings all nodes back, and resolves when they are ready. */
export async function bringNodesBack(cluster: FaultCluster): Promise<void> {
  for (const name of cluster.nodes) {
    await cluster.client.patch(NODES, name, 'merge', {
      metadata: { annotations: agentAnnotations('running') },
    });
    await cluster.node(name, ({ status }) => isConditionTrue(status?.conditions, 'Ready'));
  }
}

/** For a while: after it the node comes back by itself. */
async function loseNode(
  { client }: FaultCluster,
  name: string,
  mode: 'off' | 'stopped',
  awayMs: number,
): Promise<void> {
  const annotations = agentAnnotations(mode, Date.now() + awayMs);
  await client.patch(NODES, name, 'merge', { metadata: { annotations } });
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
