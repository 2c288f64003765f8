import type { NodeId, NodeStatus } from '../kinds/status.ts';
import type { Draft } from './draft.ts';

/** The last leaves of a node: the nodes that come next in the drawn graph are their children. */
export function outboundNodes(draft: Draft, node: NodeStatus): NodeId[] {
  const children = draft.childrenOf(node);
  switch (node.type) {
    case 'Pod':
      return outboundOfPod(draft, node, children);
    case 'TaskGroup': {
      const outbound = unique(membersOf(children).flatMap((child) => outboundNodes(draft, child)));
      return outbound.length === 0 ? [node.id] : outbound;
    }
    case 'Retry': {
      const attempt = membersOf(children).at(-1);
      return attempt === undefined ? [node.id] : outboundNodes(draft, attempt);
    }
    case 'Steps':
    case 'DAG':
      return node.memoizationStatus?.hit === true ? [node.id] : [...(node.outboundNodes ?? [])];
    default:
      return [node.id];
  }
}

/** The last leaves of a pod with several containers: those that no other waits for. */
function outboundOfPod(draft: Draft, node: NodeStatus, children: readonly NodeStatus[]): NodeId[] {
  const last: NodeId[] = [];
  const stack = children.filter((child) => child.type === 'Container').toReversed();
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const after = draft.childrenOf(at).filter((child) => child.type === 'Container');
    if (after.length === 0) last.push(at.id);
    stack.push(...after.toReversed());
  }
  return last.length === 0 ? [node.id] : unique(last);
}

export function membersOf(children: readonly NodeStatus[]): NodeStatus[] {
  return children.filter((child) => child.nodeFlag?.hooked !== true);
}

export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

/** Makes a node the child of every last leaf of the nodes before it. */
export function linkAfter(draft: Draft, before: readonly NodeStatus[], node: NodeId): void {
  for (const id of unique(before.flatMap((previous) => outboundNodes(draft, previous))))
    draft.addChild(id, node);
}
