/** A node of a graph, with the ids of its successors. */
export interface GraphNode {
  readonly id: string;
  readonly type: string;
  readonly children: readonly string[];
}

/** Position of a node: its column and row, both from 0. */
interface Place {
  readonly column: number;
  readonly row: number;
}

/** A graph that can be drawn. */
export interface Graph {
  readonly places: ReadonlyMap<string, Place>;
  readonly edges: readonly (readonly [from: string, to: string])[];
}

const GROUPS = ['StepGroup', 'TaskGroup'];

/**
 * Lays out the nodes of a workflow: the column is the longest path from a start, and within a column nodes are near their predecessors.
 * Groups are left out: an edge to a group leads to its children. It takes linear time in nodes and edges, so that a workflow of
 * ten thousand nodes is laid out at once, unlike with layout libraries for general graphs. Pure; ignores missing children,
 * and edges that close a cycle.
 */
export function graphOf(nodes: readonly GraphNode[]): Graph {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const shown = nodes.filter(({ type }) => !GROUPS.includes(type));
  const edges = shown.flatMap(({ id }) => childrenOf(id, byId).map((child) => [id, child] as const));
  const following = new Map(shown.map(({ id }) => [id, [] as string[]]));
  for (const [from, to] of edges) following.get(from)?.push(to);
  const order = inOrder(shown, following);
  const position = new Map(order.map((id, index) => [id, index]));
  const forward = edges.filter(([from, to]) => (position.get(from) ?? 0) < (position.get(to) ?? 0));
  return { places: placesOf(order, forward), edges: forward };
}

/** Children of a node, with groups replaced by their children. */
function childrenOf(id: string, byId: ReadonlyMap<string, GraphNode>): string[] {
  const found = new Set<string>();
  const seen = new Set<string>([id]);
  const open = [...(byId.get(id)?.children ?? [])];
  while (open.length > 0) {
    const child = byId.get(open.shift() ?? '');
    if (child === undefined || seen.has(child.id)) continue;
    seen.add(child.id);
    if (GROUPS.includes(child.type)) open.push(...child.children);
    else found.add(child.id);
  }
  return [...found];
}

/** Ids in topological order. Source: Kahn, Topological sorting of large networks (1962). */
function inOrder(nodes: readonly GraphNode[], following: ReadonlyMap<string, readonly string[]>): string[] {
  const waitsFor = new Map(nodes.map(({ id }) => [id, 0]));
  for (const list of following.values()) {
    for (const id of list) waitsFor.set(id, (waitsFor.get(id) ?? 0) + 1);
  }
  const ready = nodes.filter(({ id }) => waitsFor.get(id) === 0).map(({ id }) => id);
  for (let index = 0; index < ready.length; index += 1) {
    for (const next of following.get(ready[index] ?? '') ?? []) {
      const left = (waitsFor.get(next) ?? 0) - 1;
      waitsFor.set(next, left);
      if (left === 0) ready.push(next);
    }
  }
  const placed = new Set(ready);
  return [...ready, ...nodes.map(({ id }) => id).filter((id) => !placed.has(id))];
}

function placesOf(order: readonly string[], edges: Graph['edges']): Map<string, Place> {
  const leading = new Map<string, string[]>();
  for (const [from, to] of edges) {
    const ids = leading.get(to) ?? [];
    leading.set(to, ids);
    ids.push(from);
  }
  const columns = new Map<string, number>();
  const rows: string[][] = [];
  for (const id of order) {
    const before = (leading.get(id) ?? []).map((from) => columns.get(from) ?? 0);
    const column = before.reduce((most, one) => Math.max(most, one + 1), 0);
    columns.set(id, column);
    const row = rows[column] ?? [];
    rows[column] = row;
    row.push(id);
  }
  const places = new Map<string, Place>();
  for (const [column, ids] of rows.entries()) {
    const wanted = new Map(ids.map((id) => [id, meanRow(leading.get(id) ?? [], places)]));
    const sorted = ids.toSorted((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
    for (const [row, id] of sorted.entries()) places.set(id, { column, row });
  }
  return places;
}

function meanRow(ids: readonly string[], places: ReadonlyMap<string, Place>): number {
  const rows = ids.map((id) => places.get(id)?.row ?? 0);
  return rows.length === 0 ? 0 : rows.reduce((sum, row) => sum + row, 0) / rows.length;
}
