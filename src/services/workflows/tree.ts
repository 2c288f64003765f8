import type { NodeId, NodeStatus } from '@turnsole/workflows/kinds/status';
import { byStart } from './node-order.ts';
import type { Nodes } from './nodes.ts';

/** A line of a tree: the branches before a node, and the node. */
export interface TreeRow {
  readonly branch: string;
  readonly node: NodeStatus;
}

/** The nodes to show; the nodes that lead to them are shown as well. */
type IsShown = (node: NodeStatus) => boolean;

/**
 * The trees of a workflow: that of its entrypoint first, that of its exit handler last, between them what has no parent (hooks of the
 * workflow). Members of a group of steps stand side by side in brackets; groups, a Retry of one attempt and omitted tasks have no row.
 * Pure.
 */
export function treesOf(workflow: string, nodes: Nodes, isShown: IsShown = () => true): TreeRow[][] {
  const outline = new Outline(nodes, isShown);
  const rank = ({ name }: NodeStatus): number =>
    name === workflow ? 0 : name === `${workflow}.onExit` ? 2 : 1;
  return outline.roots
    .toSorted((a, b) => rank(a) - rank(b) || byStart(a, b))
    .map((root) => outline.seen(root).flatMap((node) => outline.rows(node, '', '')))
    .filter((rows) => rows.length > 0);
}

/** The nodes below each node. */
class Outline {
  readonly roots: readonly NodeStatus[];
  readonly #below = new Map<NodeId, NodeStatus[]>();
  readonly #isShown: IsShown;
  /** Whether a node or one below it has a row, as far as that was asked. */
  readonly #rowed = new Map<NodeId, boolean>();

  constructor(nodes: Nodes, isShown: IsShown) {
    this.#isShown = isShown;
    const parents = parentsOf(nodes);
    for (const node of Object.values(nodes)) {
      const parent = parents.get(node.id);
      if (parent !== undefined) this.#below.set(parent, [...(this.#below.get(parent) ?? []), node]);
    }
    this.roots = Object.values(nodes).filter(({ id }) => !parents.has(id));
  }

  /** The rows of a node and of all below it; none where none of them is shown. */
  rows(node: NodeStatus, branch: string, indent: string): TreeRow[] {
    const groups = this.#groups(node);
    const isWide = node.type === 'Steps';
    const below = groups.flatMap((group, index) => {
      const isLast = index === groups.length - 1;
      return group.length === 1 || !isWide
        ? group.flatMap((member) => this.#alone(member, indent, isLast, isWide))
        : this.#together(group, indent, isLast);
    });
    return this.#hasRows(node) ? [{ branch, node }, ...below] : [];
  }

  #alone(node: NodeStatus, indent: string, isLast: boolean, isWide: boolean): TreeRow[] {
    const line = isWide ? '───' : '─';
    return this.rows(
      node,
      `${indent}${isLast ? '└' : '├'}${line}`,
      indent + (isLast ? ' ' : '│') + ' '.repeat(line.length),
    );
  }

  #together(group: readonly NodeStatus[], indent: string, isLast: boolean): TreeRow[] {
    const outer = indent + (isLast ? '  ' : '│ ');
    return group.flatMap((node, index) => {
      const isEnd = index === group.length - 1;
      const branch = index === 0 ? `${indent}${isLast ? '└' : '├'}─┬─` : `${outer}${isEnd ? '└─' : '├─'}`;
      return this.rows(node, branch, outer + (isEnd ? '  ' : '│ '));
    });
  }

  /** The shown nodes below a node, in order; nodes of one inner list ran side by side. */
  #groups({ id }: NodeStatus): NodeStatus[][] {
    return this.#ordered(id)
      .map((child) => (child.type === 'StepGroup' ? this.#ordered(child.id) : [child]))
      .map((group) => group.flatMap((member) => this.seen(member)).filter((member) => this.#hasRows(member)))
      .filter((group) => group.length > 0);
  }

  #ordered(id: NodeId): NodeStatus[] {
    return (this.#below.get(id) ?? []).toSorted(byStart);
  }

  /** A Retry that had one attempt is seen as that attempt. */
  seen(node: NodeStatus): NodeStatus[] {
    const attempts = node.type === 'Retry' ? this.#ordered(node.id) : [];
    return attempts.length === 1 ? attempts : [node];
  }

  #hasRows(node: NodeStatus): boolean {
    const known = this.#rowed.get(node.id);
    if (known !== undefined) return known;
    const has = node.phase !== 'Omitted' && (this.#isShown(node) || this.#groups(node).length > 0);
    this.#rowed.set(node.id, has);
    return has;
  }
}

/** Steps of a group and attempts stand below it, everything else below its Steps or DAG. */
function parentsOf(nodes: Nodes): ReadonlyMap<NodeId, NodeId> {
  const parents = new Map<NodeId, NodeId>();
  for (const { id, boundaryID } of Object.values(nodes)) {
    if (boundaryID !== undefined && boundaryID !== id && nodes[boundaryID] !== undefined)
      parents.set(id, boundaryID);
  }
  for (const { id, type, children } of Object.values(nodes)) {
    if (type !== 'StepGroup' && type !== 'Retry') continue;
    for (const child of children ?? []) {
      // An empty group also has an edge to the next group.
      if (nodes[child]?.type !== 'StepGroup' && nodes[child] !== undefined) parents.set(child, id);
    }
  }
  return parents;
}
