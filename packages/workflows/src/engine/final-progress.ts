import type { NodeId, NodeStatus } from '../kinds/status.ts';
import type { Draft } from './draft.ts';
import { isExecutable } from './node-state.ts';
import { formatProgress, type Progress, progressOf, readProgress } from './progress.ts';

/**
 * The progress of composite nodes while the workflow runs: what changed in a leaf is added to each node that it is a member of, in turn.
 */
export function updateProgress(draft: Draft): void {
  const ownerOf = (node: NodeStatus) => draft.index.ownerOf(node, draft.get);
  for (const node of draft.nodes) {
    const [was, is] = [progressOf(draft.run.nodes.get(node.id)), progressOf(node)];
    const change = { done: is.done - was.done, total: is.total - was.total };
    if (change.done === 0 && change.total === 0) continue;
    // A group's owner is its boundary; that of a TaskGroup, too.
    for (let owner = ownerOf(node); owner !== undefined; owner = ownerOf(owner)) {
      if (!isExecutable(owner)) add(draft, owner, change);
    }
  }
}

function add(draft: Draft, node: NodeStatus, { done, total }: Progress): void {
  const own = readProgress(node.progress);
  draft.update(node, { progress: formatProgress({ done: own.done + done, total: own.total + total }) });
}

/** Every node sums up all that is below it: in a larger run, the sums of its own members have to do. */
const MOST_SUMMED = 2000;

/**
 * At the end: the progress of a node that does nothing itself is that of everything drawn below it, what came after it included, and so
 * are its resources.
 */
export function finalProgress(draft: Draft): void {
  const isSmall = draft.run.nodes.size + draft.nodes.length <= MOST_SUMMED;
  if (!isSmall) updateProgress(draft);
  const total: Record<string, number> = {};
  for (const node of [...draft.all()]) {
    if (isExecutable(node)) addTo(total, node.resourcesDuration);
    else if (isSmall) sum(draft, node);
  }
  if (Object.keys(total).length > 0) draft.setStatus({ resourcesDuration: total });
}

function sum(draft: Draft, node: NodeStatus): void {
  const seen = new Set<NodeId>();
  const stack = [...(node.children ?? [])];
  const progress = { done: 0, total: 0 };
  const resources: Record<string, number> = {};
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const child = seen.has(id) ? undefined : draft.get(id);
    seen.add(id);
    if (child === undefined) continue;
    stack.push(...(child.children ?? []));
    const own = progressOf(child);
    progress.done += own.done;
    progress.total += own.total;
    if (isExecutable(child)) addTo(resources, child.resourcesDuration);
  }
  draft.update(node, {
    ...(progress.total > 0 && { progress: formatProgress(progress) }),
    ...(Object.keys(resources).length > 0 && { resourcesDuration: resources }),
  });
}

function addTo(sums: Record<string, number>, added: Readonly<Record<string, number>> | undefined): void {
  for (const [resource, seconds] of Object.entries(added ?? {}))
    sums[resource] = (sums[resource] ?? 0) + seconds;
}
