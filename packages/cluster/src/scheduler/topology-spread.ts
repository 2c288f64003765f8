import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { matchesSelector } from '@turnsole/kube/text/label-selector';
import { allowsNode } from '../controllers/shared/placement.ts';
import type { TopologySpreadConstraint } from '../controllers/shared/types.ts';
import { domainOf, type Placed } from './pod-affinity.ts';

const VIOLATION = "node(s) didn't match pod topology spread constraints";

/** What the pod's hard topology spread constraints mean, worked out once for all nodes. */
export function spreadRules(
  pod: Pod,
  nodes: () => Iterable<Node>,
  placed: () => Iterable<Placed>,
): { violation(node: Node): string | undefined } {
  const constraints = (pod.spec?.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  );
  if (constraints.length === 0) return { violation: () => undefined };
  const everybody = [...placed()];
  const eligible = [...nodes()].filter((node) => allowsNode(pod.spec, node));
  const rules = constraints.map((constraint) => ({
    constraint,
    counts: countByDomain(constraint, pod, eligible, everybody),
    self: matchesSelector(constraint.labelSelector, pod.metadata.labels) ? 1 : 0,
  }));
  return {
    violation: (node) => {
      for (const { constraint, counts, self } of rules) {
        const domain = domainOf(node, constraint.topologyKey);
        if (domain === undefined) return `${VIOLATION} (missing required label)`;
        const fewest = counts.size < (constraint.minDomains ?? 1) ? 0 : Math.min(...counts.values());
        if ((counts.get(domain) ?? 0) + self - fewest > constraint.maxSkew) return VIOLATION;
      }
      return undefined;
    },
  };
}

function countByDomain(
  constraint: TopologySpreadConstraint,
  pod: Pod,
  eligible: readonly Node[],
  placed: readonly Placed[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const node of eligible) {
    const domain = domainOf(node, constraint.topologyKey);
    if (domain !== undefined) counts.set(domain, 0);
  }
  for (const other of placed) {
    if (other.pod.metadata.namespace !== pod.metadata.namespace) continue;
    if (other.pod.metadata.deletionTimestamp !== undefined) continue;
    if (!matchesSelector(constraint.labelSelector, other.pod.metadata.labels)) continue;
    const domain = domainOf(other.node, constraint.topologyKey);
    const count = domain === undefined ? undefined : counts.get(domain);
    if (domain !== undefined && count !== undefined) counts.set(domain, count + 1);
  }
  return counts;
}
