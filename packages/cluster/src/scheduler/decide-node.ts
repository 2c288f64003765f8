import type { Pod } from '@turnsole/kube/kinds/core';
import type { Random } from '@turnsole/kube/runtime/index';
import { describeMisfits, findMisfit, type Misfit, type PodNeeds } from './filter.ts';
import type { NodePool, NodeRecord } from './node-pool.ts';
import { affinityRules, type NamespaceLabels } from './pod-affinity.ts';
import { hostPorts, podRequests } from './requests.ts';
import { preferredDomains, scoreNode } from './score.ts';
import { spreadRules } from './topology-spread.ts';

/** Nodes that fit, after which no more are looked for in large clusters: the best of 100 is good enough. */
const ENOUGH_NODES = 100;

/** The node of a pod, or why it fits nowhere. */
type Placement =
  | { readonly node: string }
  | {
      readonly message: string;
      /** Whether pods that go, or new ones, may help; else only a change of nodes can. */
      readonly waitsForPods: boolean;
    };

/** Everything the choice depends on. */
interface PlacementInput {
  readonly pod: Pod;
  readonly pool: NodePool;
  readonly namespaceLabels: NamespaceLabels;
  /** Decides among equals, and where to begin looking. */
  readonly random: Random;
}

/** The best node for a pod: one that fits, most free and with the fewest pods of the same owner. */
export function decideNode({ pod, pool, namespaceLabels, random }: PlacementInput): Placement {
  const placed = () => pool.placed();
  const needs: PodNeeds = {
    pod,
    requests: podRequests(pod.spec),
    ports: hostPorts(pod),
    spread: spreadRules(pod, () => nodesOf(pool), placed),
    affinity: affinityRules(pod, placed, pool.objectors(), namespaceLabels),
  };
  const { fitting, misfits } = sift(needs, pool, random);
  if (fitting.length === 0) {
    return { message: describeMisfits(misfits), waitsForPods: misfits.some(({ canChange }) => canChange) };
  }
  const domains = preferredDomains(pod, placed, namespaceLabels);
  let best: NodeRecord[] = [];
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const record of fitting) {
    const score = scoreNode(pod, needs.requests, record, domains);
    if (score > bestScore) {
      best = [record];
      bestScore = score;
    } else if (score === bestScore) {
      best.push(record);
    }
  }
  const chosen = best[Math.floor(random() * best.length)] ?? best[0];
  return { node: chosen?.node.metadata.name ?? '' };
}

function* nodesOf(pool: NodePool): Iterable<NodeRecord['node']> {
  for (const name of pool.names()) {
    const record = pool.get(name);
    if (record !== undefined) yield record.node;
  }
}

/** Nodes that fit, from a random place on, so that the same few are not always first. */
function sift(
  needs: PodNeeds,
  pool: NodePool,
  random: Random,
): { readonly fitting: readonly NodeRecord[]; readonly misfits: readonly Misfit[] } {
  const names = pool.names();
  const first = names.length > ENOUGH_NODES ? Math.floor(random() * names.length) : 0;
  const fitting: NodeRecord[] = [];
  const misfits: Misfit[] = [];
  for (let offset = 0; offset < names.length && fitting.length < ENOUGH_NODES; offset++) {
    const record = pool.get(names[(first + offset) % names.length] ?? '');
    if (record === undefined) continue;
    const misfit = findMisfit(needs, record);
    if (misfit === undefined) fitting.push(record);
    else misfits.push(misfit);
  }
  return { fitting, misfits };
}
