import type { Run } from '@turnsole/workflows/engine/run';
import type { NodeId, NodeStatus } from '@turnsole/workflows/kinds/status';

/** Bytes of JSON that the nodes of a run take, kept up to date node by node. */
export class StoredSize {
  readonly #sizes = new Map<NodeId, number>();
  #nodes = 0;
  readonly #rest: number;

  constructor({ workflow, nodes }: Pick<Run, 'workflow' | 'nodes'>) {
    const { nodes: _nodes, compressedNodes: _compressed, ...status } = workflow.status ?? {};
    this.#rest = bytesOf({ ...workflow, status });
    for (const node of nodes.values()) this.note(node);
  }

  note(node: NodeStatus): void {
    // Its key and the marks around it count as well.
    const size = bytesOf(node) + node.id.length + 4;
    this.#nodes += size - (this.#sizes.get(node.id) ?? 0);
    this.#sizes.set(node.id, size);
  }

  /** Size of everything but the nodes, as it was when the workflow was opened. */
  get rest(): number {
    return this.#rest;
  }

  get nodes(): number {
    return this.#nodes;
  }
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
