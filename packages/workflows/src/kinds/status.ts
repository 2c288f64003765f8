import type { Inputs, Outputs } from './parameters.ts';
import type { TemplateRef } from './template.ts';

/** Id of a node: derived from its name, and the name of its pod where pod names are of the old form. */
export type NodeId = string;

export type NodeType =
  | 'Pod'
  | 'Container'
  | 'Steps'
  | 'StepGroup'
  | 'DAG'
  | 'TaskGroup'
  | 'Retry'
  | 'Skipped'
  | 'Suspend'
  | 'HTTP'
  | 'Plugin';

export type NodePhase = 'Pending' | 'Running' | 'Succeeded' | 'Skipped' | 'Failed' | 'Error' | 'Omitted';

export type WorkflowPhase = '' | 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Error';

export interface NodeFlag {
  readonly hooked?: boolean;
  readonly retried?: boolean;
}

interface MemoizationStatus {
  readonly hit: boolean;
  readonly key: string;
  readonly cacheName: string;
}

/** An entry of `status.nodes`. */
export interface NodeStatus {
  readonly id: NodeId;
  readonly name: string;
  readonly displayName: string;
  readonly type: NodeType;
  readonly phase: NodePhase;
  readonly templateName?: string;
  readonly templateRef?: TemplateRef;
  readonly templateScope?: string;
  /** The enclosing Steps or DAG node; of a Container its Pod. */
  readonly boundaryID?: NodeId;
  readonly message?: string;
  /** RFC 3339, whole seconds, UTC. */
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly estimatedDuration?: number;
  /** `N/M`. */
  readonly progress?: string;
  readonly resourcesDuration?: Readonly<Record<string, number>>;
  readonly podIP?: string;
  readonly daemoned?: boolean;
  readonly nodeFlag?: NodeFlag;
  readonly inputs?: Inputs;
  readonly outputs?: Outputs;
  /** The next nodes in the drawn graph, in order of creation. */
  readonly children?: readonly NodeId[];
  /** For Steps and DAG: their last leaves. */
  readonly outboundNodes?: readonly NodeId[];
  readonly hostNodeName?: string;
  readonly memoizationStatus?: MemoizationStatus;
  readonly synchronizationStatus?: { readonly waiting?: string };
  /** False while a pod has still to report; clients take such a node for unfinished. */
  readonly taskResultSynced?: boolean;
  readonly failedPodRestarts?: number;
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly message?: string;
}
