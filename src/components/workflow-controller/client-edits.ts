import { equivalentJson } from '@turnsole/kube/text/json';
import type { Change } from '@turnsole/workflows/engine/change';
import type { NodeId, NodeStatus } from '@turnsole/workflows/kinds/status';
import type { Workflow, WorkflowSpec } from '@turnsole/workflows/kinds/workflow';
import type { Nodes } from './stored-nodes.ts';

/** Changes by clients of a workflow that runs. */
type ClientEdits =
  | {
      readonly kind: 'edited';
      readonly changes: readonly Change[];
      /** Nodes that are stored differently than expected: a client edited them, or the answer to a write was lost. */
      readonly stored: readonly NodeStatus[];
    }
  /**
   * More than a client edits while the workflow runs: nodes were removed (`retry`), or another controller has gone on. The decisions of
   * this one since its last write no longer follow from what is stored.
   */
  | { readonly kind: 'taken' };

interface EditFacts {
  /** The object as it was known, and as it is served now. */
  readonly before: Pick<Workflow, 'spec'>;
  readonly after: Pick<Workflow, 'spec'>;
  /** The nodes that are served now. */
  readonly nodes: Nodes;
  /** Ids of all nodes in memory. */
  readonly known: Iterable<NodeId>;
  /** A node as this controller has stored it, undefined when it has not. */
  readonly stored: (id: NodeId) => NodeStatus | undefined;
  /** A node as it is in memory. */
  readonly current: (id: NodeId) => NodeStatus | undefined;
}

/**
 * Finds what others changed in an object that this controller did not write. Clients edit the spec and nodes that are suspended
 * (`resume`, `node set`). Pure.
 */
export function clientEdits({ before, after, nodes, known, stored, current }: EditFacts): ClientEdits {
  const foreign = Object.entries(nodes)
    .filter(([id, node]) => !equivalentJson(node, stored(id)))
    .map(([, node]) => node);
  // A stored node that equals the one in memory was written by this controller; the answer was lost.
  const edited = foreign.filter((node) => !equivalentJson(node, current(node.id)));
  const isRemoved = [...known].some((id) => nodes[id] === undefined && stored(id) !== undefined);
  if (isRemoved || edited.some(({ id }) => current(id)?.type !== 'Suspend')) return { kind: 'taken' };
  const spec = specChange(before.spec, after.spec);
  return {
    kind: 'edited',
    changes: [
      ...(spec === undefined ? [] : [spec]),
      ...(edited.length === 0 ? [] : [{ kind: 'nodesEdited', nodes: edited } as const]),
    ],
    stored: foreign,
  };
}

function specChange(before: WorkflowSpec, after: WorkflowSpec): Change | undefined {
  const { suspend = false, shutdown, activeDeadlineSeconds } = after;
  const isSame =
    suspend === (before.suspend ?? false) &&
    (shutdown ?? '') === (before.shutdown ?? '') &&
    activeDeadlineSeconds === before.activeDeadlineSeconds;
  if (isSame) return undefined;
  return {
    kind: 'specChanged',
    suspend,
    shutdown: (shutdown ?? '') === '' ? undefined : shutdown,
    activeDeadlineSeconds,
  };
}
