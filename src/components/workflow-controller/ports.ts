/**
 * Interfaces to the parts around the workflow controller. The controller calls them with what is stored, so that none of them acts on a
 * decision that a crash would undo.
 */

import type { RunStatus } from '@turnsole/workflows/engine/run';
import type { NodeId, NodeStatus, WorkflowPhase } from '@turnsole/workflows/kinds/status';
import type { Workflow, WorkflowSpec, WorkflowStatus } from '@turnsole/workflows/kinds/workflow';

/** A workflow as it stands after a write. */
interface StoredWorkflow {
  /** Metadata and spec as served, decoded; its status is that of the time when the controller took it up. */
  readonly workflow: Workflow;
  /** The effective spec. */
  readonly spec: WorkflowSpec;
  readonly status: RunStatus;
  readonly nodes: ReadonlyMap<NodeId, NodeStatus>;
}

/** A node before and after a write; `before` is absent for a new one. */
export interface NodeChange {
  readonly before?: NodeStatus;
  readonly after: NodeStatus;
}

/** The changes of one write. */
export interface StoredChange extends StoredWorkflow {
  /** The phase that was stored before. */
  readonly phaseBefore: WorkflowPhase;
  /** Nodes that were written, in order of creation. */
  readonly changes: readonly NodeChange[];
}

/** Called with each write once it is stored: Events, metrics, pod GC. Must neither throw nor block. */
export interface StoredObserver {
  stored(change: StoredChange): void;
}

/** Gets the controller's observations beside its writes: metrics. Must neither throw nor block. */
export interface WorkObserver {
  /** A lock has got a holder. */
  lockTaken(name: string): void;
  /** A pod waits so long for its turn, as `resourceRateLimit` has it; 0: it does not wait. */
  podRateLimited(seconds: number): void;
  /** A node's pod is gone, and no one had asked for its end. @param node as it was before */
  podMissing(node: NodeStatus): void;
  /** A defect of the engine, or an unreadable status, has ended a workflow as Error. */
  panicked(): void;
}

/** Whether a workflow may begin. */
export type Prepared =
  /** `status` is stored with the first nodes; `persistentVolumeClaims` of it become volumes of pods. */
  | { readonly kind: 'ready'; readonly status?: Pick<WorkflowStatus, 'persistentVolumeClaims'> }
  /** It is pending with this message, and is asked again after a delay that grows. */
  | { readonly kind: 'waiting'; readonly message: string }
  /** The workflow ends as Error with this message. */
  | { readonly kind: 'failed'; readonly message: string };
