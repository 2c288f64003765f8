import type { Pod } from '@turnsole/kube/kinds/core';
import { isFinished } from '@turnsole/kube/kinds/pod-phase';
import type { Change } from '@turnsole/workflows/engine/change';
import { isActive, isFulfilled } from '@turnsole/workflows/engine/node-state';
import { ANNOTATION_NODE_ID } from '@turnsole/workflows/kinds/labels';
import type { NodeId, NodeStatus } from '@turnsole/workflows/kinds/status';
import { podFact } from '@turnsole/workflows/pods/pod-fact';
import type { LiveRun } from './live-run.ts';
import type { SeenPod } from './pod-source.ts';

/** A pod whose report is to be read before its end counts. */
export interface PodWithReport {
  readonly node: NodeId;
  readonly pod: Pod;
}

/**
 * The changes that the engine gets for a pod that has changed. The end of a pod that reports waits for its report: `readReport` fetches
 * it, and passes on both.
 */
export function podChanges(
  live: LiveRun,
  { pod, isGone }: SeenPod,
  readReport: (report: PodWithReport) => void,
): Change[] {
  const id = pod.metadata.annotations?.[ANNOTATION_NODE_ID];
  const isOwn = (pod.metadata.ownerReferences ?? []).some(({ uid }) => uid === live.uid);
  const node = id === undefined || !isOwn ? undefined : live.run.nodes.get(id);
  if (node === undefined) return [];
  live.podNames.set(node.id, pod.metadata.name);
  if (isGone) return goneChanges(live, node, pod);
  if (isFinished(pod)) {
    live.endedPods.set(node.id, pod.metadata.name);
    if (awaitsReport(node)) {
      readReport({ node: node.id, pod });
      return [];
    }
  }
  return [{ kind: 'podChanged', node: node.id, pod: podFact(pod) }];
}

/** The node whose pod is gone before its end; a node that was to end has another phase by then. */
export function missingPodOf({ run }: LiveRun, change: Change): NodeStatus | undefined {
  const node = change.kind === 'podGone' ? run.nodes.get(change.node) : undefined;
  return node?.type === 'Pod' && (node.phase === 'Pending' || node.phase === 'Running') ? node : undefined;
}

function goneChanges(live: LiveRun, node: NodeStatus, pod: Pod): Change[] {
  live.endedPods.delete(node.id);
  if (isFulfilled(node) && !isActive(node)) return [];
  const gone: Change = { kind: 'podGone', node: node.id };
  // Its last state counts; without its report it says less than its node needs.
  if (!isFinished(pod) || awaitsReport(node)) return [gone];
  return [{ kind: 'podChanged', node: node.id, pod: podFact(pod) }, gone];
}

/** Whether the end of the node's pod is not all that the node waits for. */
function awaitsReport(node: NodeStatus): boolean {
  return node.taskResultSynced === false && isActive(node);
}
