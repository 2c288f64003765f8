import type { Node, Pod } from '@turnsole/kube/kinds/core';
import { allowsNode, isTolerationFor, untoleratedTaint } from '../controllers/shared/placement.ts';
import type { NodeRecord } from './node-pool.ts';
import { type Amounts, portsClash } from './requests.ts';

/** Why a node is not for a pod. */
export interface Misfit {
  /** As they stand in the scheduler's message; several only for lacking resources. */
  readonly reasons: readonly string[];
  /** Whether other pods are in the way, so that their going may help. */
  readonly canChange: boolean;
}

/** What a pod asks for, worked out once for all nodes. */
export interface PodNeeds {
  readonly pod: Pod;
  readonly requests: Amounts;
  readonly ports: readonly string[];
  readonly spread: { violation(node: Node): string | undefined };
  readonly affinity: { violation(node: Node): string | undefined };
}

/** The taint a cordoned node stands for. */
const UNSCHEDULABLE_TAINT = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/** Why the node cannot take the pod, in the order and words of Kubernetes' scheduler; `undefined` when it can. */
export function findMisfit(needs: PodNeeds, record: NodeRecord): Misfit | undefined {
  const { node } = record;
  const { spec } = needs.pod;
  const tolerations = spec?.tolerations ?? [];
  if (
    node.spec?.unschedulable === true &&
    !tolerations.some((toleration) => isTolerationFor(toleration, UNSCHEDULABLE_TAINT))
  ) {
    return lasting('node(s) were unschedulable');
  }
  // The taint of a cordoned node follows `unschedulable` a moment later; what counts is what it stands for.
  const taints = node.spec?.taints?.filter(({ key }) => key !== UNSCHEDULABLE_TAINT.key);
  const taint = untoleratedTaint(taints, tolerations, ['NoSchedule', 'NoExecute']);
  if (taint !== undefined) {
    return lasting('node(s) had untolerated taint(s)');
  }
  if (!allowsNode(spec, node)) return lasting("node(s) didn't match Pod's node affinity/selector");
  if (needs.ports.some((port) => [...record.ports].some((taken) => portsClash(port, taken)))) {
    return passing("node(s) didn't have free ports for the requested pod ports");
  }
  const lacking = lackingResources(needs.requests, record);
  // What not even the empty node has, no victim of a preemption can give.
  if (lacking.length > 0) return { reasons: lacking, canChange: fitsEmptyNode(needs.requests, record) };
  const violation = needs.spread.violation(node) ?? needs.affinity.violation(node);
  return violation === undefined ? undefined : passing(violation);
}

function lasting(reason: string): Misfit {
  return { reasons: [reason], canChange: false };
}

function passing(reason: string): Misfit {
  return { reasons: [reason], canChange: true };
}

function lackingResources(requests: Amounts, record: NodeRecord): string[] {
  const reasons: string[] = [];
  const room = record.allocatable.get('pods');
  if (room !== undefined && (record.pods.size + 1) * 1000 > room) reasons.push('Too many pods');
  for (const [name, amount] of requests) {
    if (amount === 0) continue;
    const free = (record.allocatable.get(name) ?? 0) - (record.requested.get(name) ?? 0);
    if (amount > free) reasons.push(`Insufficient ${name}`);
  }
  return reasons;
}

function fitsEmptyNode(requests: Amounts, { allocatable }: NodeRecord): boolean {
  return [...requests].every(([name, amount]) => amount <= (allocatable.get(name) ?? 0));
}

/**
 * The sentence for a pod that fits nowhere: the number of nodes, how many of them are unfit for which reason, and
 * that no pod could make room. (Kubernetes' FitError.)
 */
export function describeMisfits(misfits: readonly Misfit[]): string {
  if (misfits.length === 0) return 'no nodes available to schedule pods';
  const available = `0/${misfits.length} nodes are available`;
  const counts = countTexts(misfits.flatMap(({ reasons }) => reasons));
  const help = countTexts(
    misfits.map(({ canChange }) =>
      canChange ? 'No preemption victims found for incoming pod' : 'Preemption is not helpful for scheduling',
    ),
  );
  return `${available}: ${counts}. no new claims to deallocate, preemption: ${available}: ${help}.`;
}

/** The sentence of a pod that uses a claim which does not exist; no node can help it. */
export function describeMissingClaim(claim: string, nodes: number): string {
  const available = `0/${nodes} nodes are available`;
  const reason = `persistentvolumeclaim ${JSON.stringify(claim)} not found`;
  return `${available}: ${reason}. no new claims to deallocate, preemption: ${available}: ${nodes} Preemption is not helpful for scheduling.`;
}

function countTexts(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .map(([text, count]) => `${count} ${text}`)
    .sort()
    .join(', ');
}
