/**
 * Interfaces to the parts around the workflow controller, each of which may be absent. The controller calls them with what is
 * stored, so that none of them acts on a decision that a crash would undo.
 */

import type { Pod } from '../../api/core.ts';
import type { Basics } from '../../kube/runtime/basics.ts';
import type { Informer } from '../../kube/runtime/index.ts';
import type { Change } from '../../workflows/engine/change.ts';
import type { RunStatus } from '../../workflows/engine/run.ts';
import type { NodeId, NodeStatus, WorkflowPhase } from '../../workflows/kinds/status.ts';
import type { Template } from '../../workflows/kinds/template.ts';
import type { Workflow, WorkflowSpec, WorkflowStatus } from '../../workflows/kinds/workflow.ts';

/** What every part may use. Informers are started and stopped by the controller. */
export interface PartContext extends Basics {
  /** Workflows as served, without their nodes; those that are over also without their templates (`stored-workflow.ts`). */
  readonly workflows: Informer<Workflow>;
  /** Pods of workflows whose nodes are not recorded yet. */
  readonly pods: Informer<Pod>;
}

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

/** Makes what has to be there before the first pod: claims, disruption budgets. Called again after a crash, so it must be idempotent. */
export interface Preparer {
  prepare(workflow: Workflow, spec: WorkflowSpec, signal: AbortSignal): Promise<Prepared>;
}

/** An `http` or `plugin` node that is to be worked on. */
interface Task {
  readonly workflow: Workflow;
  readonly spec: WorkflowSpec;
  readonly node: NodeId;
  /** Its tags are replaced. */
  readonly template: Template;
}

type TaskAnswered = Omit<Extract<Change, { readonly kind: 'taskAnswered' }>, 'kind' | 'node'>;

/** Does the work of nodes without a pod of their own. */
export interface TaskRunner {
  /**
   * Begins a task, or goes on with one after a restart; `answer` may be called several times until the phase is a final one. The signal
   * fires when the node is over for other reasons, when the workflow is gone, and when the controller stops.
   */
  run(task: Task, answer: (answer: TaskAnswered) => void, signal: AbortSignal): void;
}

/** The parts of a controller. */
export interface ControllerParts {
  readonly preparer?: Preparer;
  readonly observers?: readonly StoredObserver[];
  readonly taskRunner?: TaskRunner;
}
