import type { NodeId, NodeStatus } from '@turnsole/workflows/kinds/status';
import { hasFailed, type Nodes } from './nodes.ts';

/** Types of nodes that do something themselves; other types group these. */
const EXECUTING = ['Pod', 'Container', 'Suspend', 'HTTP', 'Plugin', 'Skipped'];

/** The effect of a retry on nodes: some are removed, some run again, the others stay as they are. */
interface RetryPlan {
  /** Nodes that are taken away, so that the controller starts them anew. */
  readonly removed: ReadonlySet<NodeId>;
  /** Groups around them, which are open again. */
  readonly reopened: ReadonlySet<NodeId>;
}

/**
 * Decides which nodes a retry removes: failed or chosen ones, everything that came after them, and exit handlers. The groups around these
 * are open again. An attempt that failed under a Retry that went well in the end did no harm and stays. Pure.
 *
 * @param isChosen nodes that are to run again though they succeeded
 */
export function planRetry(
  workflow: string,
  nodes: Nodes,
  isChosen: (node: NodeStatus) => boolean,
): RetryPlan {
  const graph = new Graph(nodes);
  const all = Object.values(nodes);
  const causes = all.filter(
    (node) =>
      (hasFailed(node) && (EXECUTING.includes(node.type) || graph.isEmpty(node)) && !graph.isMended(node)) ||
      isChosen(node),
  );
  const removed = graph.after(causes.map(({ id }) => id));
  const exit = nodes[graph.idOf(`${workflow}.onExit`) ?? ''];
  if (exit !== undefined) for (const id of graph.within(exit.id)) removed.add(id);
  const reopened = new Set<NodeId>();
  for (const id of removed) {
    for (const owner of graph.around(id)) if (!removed.has(owner)) reopened.add(owner);
  }
  // A group that failed by itself, such as by its time limit.
  for (const node of all) {
    if (!removed.has(node.id) && hasFailed(node) && !EXECUTING.includes(node.type)) reopened.add(node.id);
  }
  // A group that is open again will end again, and its hooks with it.
  for (const id of reopened) {
    for (const hook of graph.hooksOf(id)) for (const below of graph.after([hook])) removed.add(below);
  }
  return { removed, reopened: new Set([...reopened].filter((id) => !removed.has(id))) };
}

/** The nodes and what leads from one to the other. */
class Graph {
  readonly #nodes: Nodes;
  readonly #ids = new Map<string, NodeId>();
  /** Members by the id of their Steps or DAG; of a pod its containers. */
  readonly #members = new Map<NodeId, NodeId[]>();
  /** The group of steps, loop or Retry that a node is part of. */
  readonly #owners = new Map<NodeId, NodeId>();

  constructor(nodes: Nodes) {
    this.#nodes = nodes;
    for (const { id, name, type, boundaryID, children } of Object.values(nodes)) {
      this.#ids.set(name, id);
      if (boundaryID !== undefined)
        this.#members.set(boundaryID, [...(this.#members.get(boundaryID) ?? []), id]);
      if (type !== 'StepGroup' && type !== 'TaskGroup' && type !== 'Retry') continue;
      for (const child of children ?? []) {
        if (nodes[child]?.type !== 'StepGroup') this.#owners.set(child, id);
      }
    }
  }

  idOf(name: string): NodeId | undefined {
    return this.#ids.get(name);
  }

  /** Nodes and everything that began because of them: the nodes at the end of their edges, and the content of those. */
  after(ids: readonly NodeId[]): Set<NodeId> {
    return this.#closure(ids, (id) => [
      ...(this.#nodes[id]?.children ?? []),
      ...(this.#members.get(id) ?? []),
    ]);
  }

  /** A node and its content. */
  within(id: NodeId): Set<NodeId> {
    return this.after([id]);
  }

  #closure(ids: readonly NodeId[], next: (id: NodeId) => readonly NodeId[]): Set<NodeId> {
    const found = new Set<NodeId>();
    const open = [...ids];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (found.has(id) || this.#nodes[id] === undefined) continue;
      found.add(id);
      open.push(...next(id));
    }
    return found;
  }

  /** The groups that a node is in, from the innermost outwards. */
  around(id: NodeId): NodeId[] {
    const found = new Set<NodeId>();
    const open = [id];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const owner of [this.#owners.get(next), this.#nodes[next]?.boundaryID]) {
        if (owner === undefined || found.has(owner) || this.#nodes[owner] === undefined) continue;
        found.add(owner);
        open.push(owner);
      }
    }
    return [...found];
  }

  /** Whether a group has nothing in it that could be begun anew in its place. */
  isEmpty({ id, children }: NodeStatus): boolean {
    return (this.#members.get(id) ?? []).length === 0 && (children ?? []).length === 0;
  }

  /** Whether a later attempt, or whatever the failed node is part of, made good for it. */
  isMended({ id }: NodeStatus): boolean {
    const owner = this.#nodes[this.#owners.get(id) ?? ''];
    return owner?.type === 'Retry' && owner.phase === 'Succeeded';
  }

  hooksOf(id: NodeId): NodeId[] {
    return (this.#nodes[id]?.children ?? []).filter((child) => {
      const { nodeFlag, name = '' } = this.#nodes[child] ?? {};
      return nodeFlag?.hooked === true || /\.(?:onExit|hooks\.[^.]+)$/.test(name);
    });
  }
}
