import type { Pod } from '@turnsole/kube/kinds/core';
import { isActive } from '@turnsole/kube/kinds/pod-phase';
import { matchesLabels, type ParsedLabelSelector } from '@turnsole/kube/text/label-selector';
import type {
  BlastRadius,
  BudgetImpact,
  InjectionTarget,
  NodeShare,
  WorkloadShare,
} from '../../api/index.ts';
import { type Intermediates, ownerOf } from '../targets/owner.ts';

/** A PodDisruptionBudget, as far as it matters here. */
export interface Budget {
  readonly namespace: string;
  readonly name: string;
  /** Undefined selects nothing. */
  readonly selector: ParsedLabelSelector | undefined;
  /** `status.disruptionsAllowed`. */
  readonly allowed: number;
}

/** The surroundings of the targets: all pods of their namespaces, or of all namespaces where nodes are hit. */
export interface Surroundings extends Intermediates {
  readonly pods: readonly Pod[];
  readonly budgets: readonly Budget[];
  /** Names of all nodes; undefined when they may not be listed. */
  readonly nodes: readonly string[] | undefined;
  readonly notSeen: readonly string[];
}

/** The targets of one round. */
export interface Hit {
  readonly targets: readonly InjectionTarget[];
  /** In serial one target after the other. */
  readonly sequence: 'serial' | 'parallel';
}

interface HitPod {
  readonly pod: Pod;
  /** Position of the target that hits it: in serial these are not hit at the same time. */
  readonly step: number;
}

/** How much of what a round hits: shares of workloads, disruption budgets, nodes. Pure. */
export function blastRadius(hit: Hit, around: Surroundings): BlastRadius {
  const alive = around.pods.filter(isActive);
  const pods = hitPods(hit.targets, alive, around);
  return {
    workloads: workloadShares(pods, alive, around),
    disruptionBudgets: budgetImpacts(pods, hit.sequence, around.budgets),
    nodes: nodeShare(hit.targets, pods, around.nodes),
    notSeen: around.notSeen,
  };
}

/** Pods that the targets are, run on, or belong to; each once, at the first step that hits it. */
function hitPods(
  targets: readonly InjectionTarget[],
  alive: readonly Pod[],
  intermediates: Intermediates,
): HitPod[] {
  const found = new Map<Pod, number>();
  for (const [step, target] of targets.entries()) {
    for (const pod of alive) {
      if (!found.has(pod) && isHitBy(target, pod, intermediates)) found.set(pod, step);
    }
  }
  return [...found].map(([pod, step]) => ({ pod, step }));
}

function isHitBy(
  { kind, namespace, name }: InjectionTarget,
  pod: Pod,
  intermediates: Intermediates,
): boolean {
  if (kind === 'node') return pod.spec?.nodeName === name;
  if (pod.metadata.namespace !== namespace) return false;
  if (kind === 'pod') return pod.metadata.name === name;
  const owner = ownerOf(pod, intermediates);
  return owner?.kind === kind && owner.name === name;
}

function workloadShares(
  pods: readonly HitPod[],
  alive: readonly Pod[],
  intermediates: Intermediates,
): WorkloadShare[] {
  const keyOf = (pod: Pod): string => JSON.stringify(workloadOf(pod, intermediates));
  const totals = Map.groupBy(alive, keyOf);
  return [...Map.groupBy(pods, ({ pod }) => keyOf(pod))].flatMap(([key, hit]) => {
    const [first] = hit;
    if (first === undefined) return [];
    const of = totals.get(key)?.length ?? hit.length;
    const percent = Math.round((hit.length * 100) / of);
    return [{ ...workloadOf(first.pod, intermediates), hit: hit.length, of, percent }];
  });
}

function workloadOf(
  pod: Pod,
  intermediates: Intermediates,
): Pick<WorkloadShare, 'kind' | 'namespace' | 'name'> {
  const { name, namespace = '' } = pod.metadata;
  const owner = ownerOf(pod, intermediates);
  return owner === undefined
    ? { kind: 'pod', namespace, name }
    : { kind: owner.kind, namespace, name: owner.name };
}

function budgetImpacts(
  pods: readonly HitPod[],
  sequence: Hit['sequence'],
  budgets: readonly Budget[],
): BudgetImpact[] {
  return budgets.flatMap(({ namespace, name, selector, allowed }) => {
    if (selector === undefined) return [];
    const covered = pods.filter(
      ({ pod }) => pod.metadata.namespace === namespace && matchesLabels(selector, pod.metadata.labels),
    );
    if (covered.length === 0) return [];
    const perStep = [...Map.groupBy(covered, ({ step }) => step).values()].map(({ length }) => length);
    const hitAtOnce = sequence === 'serial' ? Math.max(...perStep) : covered.length;
    return [{ namespace, name, hitAtOnce, allowed, violated: hitAtOnce > allowed }];
  });
}

function nodeShare(
  targets: readonly InjectionTarget[],
  pods: readonly HitPod[],
  nodes: readonly string[] | undefined,
): NodeShare {
  const ofTargets = targets.flatMap(({ kind, name, node }) => (kind === 'node' ? name : (node ?? [])));
  const hit = [...new Set([...ofTargets, ...pods.flatMap(({ pod }) => pod.spec?.nodeName ?? [])])].sort();
  if (nodes === undefined || nodes.length === 0) return { hit };
  return { hit, of: nodes.length, percent: Math.round((hit.length * 100) / nodes.length) };
}
