import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { controllerOf } from '@turnsole/kube/runtime/index';
import { isTolerationFor, matchesNodeTerm } from '../controllers/shared/placement.ts';
import type { NodeRecord } from './node-pool.ts';
import { domainOf, isTermAbout, type NamespaceLabels, type Placed } from './pod-affinity.ts';
import type { Amounts } from './requests.ts';

/** Weights of what makes a node good, large before small: wishes of the pod, spreading, free room. */
const WEIGHTS = { nodeAffinity: 3, podAffinity: 3, taint: 30, siblings: 20, free: 10 } as const;

/** Preferred pod (anti-)affinity as weights by topology domain, worked out once for all nodes. */
type DomainWeights = readonly {
  readonly key: string;
  readonly value: string;
  readonly weight: number;
}[];

/** The weights a pod's preferred terms give to domains, by the pods that are placed there. */
export function preferredDomains(
  pod: Pod,
  placed: () => Iterable<Placed>,
  namespaceLabels: NamespaceLabels,
): DomainWeights {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const terms = [
    ...(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => ({
      ...term,
      sign: 1,
    })),
    ...(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => ({
      ...term,
      sign: -1,
    })),
  ];
  const weights: { key: string; value: string; weight: number }[] = [];
  if (terms.length === 0) return weights;
  for (const other of placed()) {
    for (const { podAffinityTerm, weight, sign } of terms) {
      const value = domainOf(other.node, podAffinityTerm.topologyKey);
      if (value === undefined || !isTermAbout(podAffinityTerm, pod, other.pod, namespaceLabels)) continue;
      weights.push({ key: podAffinityTerm.topologyKey, value, weight: weight * sign });
    }
  }
  return weights;
}

/** How good a node that fits is for the pod; only the order of the numbers means something. */
export function scoreNode(pod: Pod, requests: Amounts, record: NodeRecord, domains: DomainWeights): number {
  const owner = controllerOf(pod)?.uid;
  const siblings = owner === undefined ? 0 : (record.byOwner.get(owner) ?? 0);
  return (
    WEIGHTS.nodeAffinity * preferredNodeWeight(pod, record.node) +
    WEIGHTS.podAffinity * domainWeight(domains, record.node) -
    WEIGHTS.taint * avoidedTaints(pod, record.node) -
    WEIGHTS.siblings * siblings +
    WEIGHTS.free * freeShare(requests, record)
  );
}

function preferredNodeWeight(pod: Pod, node: Node): number {
  const terms = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (terms.length === 0) return 0;
  return terms
    .filter(({ preference }) => matchesNodeTerm(preference, node))
    .reduce((sum, { weight }) => sum + weight, 0);
}

function domainWeight(domains: DomainWeights, node: Node): number {
  return domains.reduce(
    (sum, { key, value, weight }) => (domainOf(node, key) === value ? sum + weight : sum),
    0,
  );
}

function avoidedTaints(pod: Pod, node: Node): number {
  const taints = node.spec?.taints ?? [];
  if (taints.length === 0) return 0;
  const tolerations = pod.spec?.tolerations ?? [];
  return taints.filter(
    (taint) =>
      taint.effect === 'PreferNoSchedule' &&
      !tolerations.some((toleration) => isTolerationFor(toleration, taint)),
  ).length;
}

/** Free share after placing the pod, of cpu and memory and of the number of pods, each between 0 and 1. */
function freeShare(requests: Amounts, { allocatable, requested, pods }: NodeRecord): number {
  // Called for a hundred nodes per pod: no lists are made here.
  const room = allocatable.get('pods') ?? 0;
  return (
    (freeOf('cpu', requests, allocatable, requested) +
      freeOf('memory', requests, allocatable, requested) +
      (room === 0 ? 0 : Math.max(0, 1 - (pods.size * 1000) / room))) /
    3
  );
}

function freeOf(name: string, requests: Amounts, allocatable: Amounts, requested: Amounts): number {
  const total = allocatable.get(name) ?? 0;
  if (total === 0) return 0;
  return Math.max(0, 1 - ((requested.get(name) ?? 0) + (requests.get(name) ?? 0)) / total);
}
